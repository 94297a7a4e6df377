"""What is under the address of a draft's world?"""

from django.urls import path

from console.drafting.site import draft_site

urlpatterns = [path("", draft_site().urls)]
