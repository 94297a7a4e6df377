"""Which application does an ASGI server run?"""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seahaven_site.settings")
django_application = get_asgi_application()  # sets Django up: what is imported below needs its models

from console import routing as console_routing  # noqa: E402
from openenv_api.handling import ProgramHandler  # noqa: E402
from openenv_api.mcp.application import McpApplication  # noqa: E402
from openenv_api.products.serving import ProductApis  # noqa: E402
from openenv_api.routing import ForeignPagesRefused, websocket_urlpatterns  # noqa: E402
from openenv_api.secret_path import SecretInPath  # noqa: E402

#: What people look at, which has sessions, users and all the middleware; the rest is for programs.
PAGES = ("/admin/", "/console/", settings.STATIC_URL)

sockets = [*console_routing.websocket_urlpatterns, *websocket_urlpatterns]
views = ProgramHandler(ASGIStaticFilesHandler(django_application), PAGES)
doors = ProtocolTypeRouter(
    {
        "http": McpApplication(ProductApis(views)),
        "websocket": ForeignPagesRefused(URLRouter(sockets), settings.ALLOWED_HOSTS),
    }
)
application = SecretInPath(doors)
