"""How does somebody log in?"""

from django.contrib.auth.views import LoginView


class Login(LoginView):
    """Django's own users, whom the admin makes."""

    template_name = "console/login.html"
    next_page = "console:home"
    redirect_authenticated_user = True
