"""Which application does an ASGI server run?"""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "seahaven_site.settings")
django_application = get_asgi_application()  # sets Django up: what is imported below needs its models

from openenv_api.products.serving import ProductApis  # noqa: E402
from openenv_api.routing import ForeignPagesRefused, websocket_urlpatterns  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": ProductApis(ASGIStaticFilesHandler(django_application)),
        "websocket": ForeignPagesRefused(URLRouter(websocket_urlpatterns), settings.ALLOWED_HOSTS),
    }
)
