"""How is this server set up? Every SEAHAVEN_* variable of the environment is read here."""

from pathlib import Path
from typing import Any

from seahaven_site import env

BASE_DIR = Path(__file__).resolve().parent.parent

# Worlds: each is one Django app. The first is the one a client gets that names none.
WORLDS = env.words("SEAHAVEN_WORLDS", "worlds.crm,worlds.helpdesk,worlds.mail,worlds.company,worlds.stripe")
SEAHAVEN_DEFAULT_WORLD = env.text("SEAHAVEN_DEFAULT_WORLD", next(iter(WORLDS), "").rpartition(".")[2])
SEAHAVEN_DEFAULT_FIXTURE = env.text("SEAHAVEN_DEFAULT_FIXTURE", "")  # of that world, when a reset names none

# The engine. A name says its unit; KIB and MIB are 1024 and 1024 * 1024 bytes.
SEAHAVEN_FIXTURES_DIR = env.folder("SEAHAVEN_FIXTURES_DIR", BASE_DIR / "fixtures")
SEAHAVEN_VAR_DIR = env.folder("SEAHAVEN_VAR_DIR", BASE_DIR / "var")  # everything that is made while running
SEAHAVEN_CALL_TIMEOUT_S = env.number("SEAHAVEN_CALL_TIMEOUT_S", 60)  # a call that takes longer loses its instance
SEAHAVEN_SQL_TIMEOUT_S = env.number("SEAHAVEN_SQL_TIMEOUT_S", 5)  # one statement that an agent wrote itself
SEAHAVEN_CHECKPOINTS_KEPT = env.integer("SEAHAVEN_CHECKPOINTS_KEPT", 16)  # calls; rewinding further back replays
SEAHAVEN_RESULT_KEPT_KIB = env.integer("SEAHAVEN_RESULT_KEPT_KIB", 16)  # the call log cuts a longer result
SEAHAVEN_PAGE_CACHE_KIB = env.integer("SEAHAVEN_PAGE_CACHE_KIB", 64)  # SQLite's cache, for each open store

# Sessions: one for each connected client, with an instance of its own.
SEAHAVEN_MAX_SESSIONS = env.integer("SEAHAVEN_MAX_SESSIONS", 512, minimum=1)
SEAHAVEN_IDLE_TIMEOUT_S = env.number("SEAHAVEN_IDLE_TIMEOUT_S", 0)  # 0: an idle session is never ended
SEAHAVEN_RESUME_GRACE_S = env.number("SEAHAVEN_RESUME_GRACE_S", 30)  # how long a dropped client may come back
SEAHAVEN_MCP_IDLE_S = env.number("SEAHAVEN_MCP_IDLE_S", 1800)  # an MCP session without requests; 0: never ended
SEAHAVEN_MAX_INSTANCES = env.integer("SEAHAVEN_MAX_INSTANCES", 4096, minimum=1)  # of every door together
SEAHAVEN_INSTANCE_IDLE_S = env.number("SEAHAVEN_INSTANCE_IDLE_S", 3600)  # of REST and products; 0: never ended
SEAHAVEN_MAX_MESSAGE_MIB = env.integer("SEAHAVEN_MAX_MESSAGE_MIB", 16, minimum=1)  # a frame, or a request's body
SEAHAVEN_WEBHOOK_HOSTS = env.words("SEAHAVEN_WEBHOOK_HOSTS", "127.0.0.1, localhost, .localhost, [::1]")  # or "*"

# People. Whoever comes from this machine itself may use the console without a login; `make run` says yes.
SEAHAVEN_OPEN_CONSOLE = env.flag("SEAHAVEN_OPEN_CONSOLE", False)
LOGIN_URL = "console:login"
LOGIN_REDIRECT_URL = "console:home"
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"  # pages are made on the event loop

# Recording: of so many of all episodes, 0 to 1, the document is kept when they end.
SEAHAVEN_RECORD_EPISODES = env.number("SEAHAVEN_RECORD_EPISODES", 0, maximum=1)
SEAHAVEN_RECORD_KEEP = env.integer("SEAHAVEN_RECORD_KEEP", 10_000)  # the newest so many; 0: as many as there are
SEAHAVEN_RECORD_KEEP_MIB = env.integer("SEAHAVEN_RECORD_KEEP_MIB", 4096)  # on disk, the newest; 0: all

# Access. Each key is `scope:secret` or `scope:sha256$<hash>`, the scope one of agent, evaluator, admin; none: no keys.
SEAHAVEN_API_KEYS = env.words("SEAHAVEN_API_KEYS", "")

# Django.
SEAHAVEN_VAR_DIR.mkdir(parents=True, exist_ok=True)
SECRET_KEY = env.secret("SEAHAVEN_SECRET_KEY", kept_in=SEAHAVEN_VAR_DIR / "secret_key")
DEBUG = env.flag("SEAHAVEN_DEBUG", False)
# A container is reached under names that only its operator knows: give them here, or "*" behind a proxy that checks.
ALLOWED_HOSTS = env.words(
    "SEAHAVEN_ALLOWED_HOSTS", ".localhost, 127.0.0.1, [::1], 0.0.0.0, host.docker.internal, .hf.space"
)
DATA_UPLOAD_MAX_MEMORY_SIZE = SEAHAVEN_MAX_MESSAGE_MIB * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000  # the admin sends a field for each selected row, and for each cell of a line

INSTALLED_APPS = [
    "openenv_api",  # before staticfiles: its `runserver` speaks WebSocket
    "console",  # before the admin: some of its templates are the console's
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "seahaven.fidelity",
    "worlds.engine",
    *WORLDS,
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
ROOT_URLCONF = "seahaven_site.urls"
ASGI_APPLICATION = "seahaven_site.asgi.application"
APPEND_SLASH = False  # OpenEnv's clients follow no redirects
STATIC_URL = "/static/"
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Databases: `default` is the control plane. Behind `world` stands, during a call, the store of the running instance.
DATABASES = {
    "default": {"ENGINE": "django.db.backends.sqlite3", "NAME": SEAHAVEN_VAR_DIR / "control.sqlite3"},
    "world": {"ENGINE": "worlds.engine.db", "NAME": ":seahaven:"},
}
DATABASE_ROUTERS = ["worlds.engine.router.WorldRouter"]
SILENCED_SYSTEM_CHECKS = ["models.W035"]  # two worlds may both have a table `customers`: each has stores of its own

# REST: no user, so that no request to an episode reads the control plane.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "openenv_api.rest.schema.Schema",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Seahaven",
    "DESCRIPTION": "Worlds, fixtures, and instances of every door: call their tools, read what changed, take it back.",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
}

# Logging: one line an event, on stderr. The root logger is left to the program that imports us.
LOG_LEVEL = env.text("SEAHAVEN_LOG_LEVEL", "INFO").upper()
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        name: {"handlers": ["stderr"], "level": LOG_LEVEL, "propagate": False}
        for name in ("django", "seahaven", "worlds", "openenv_api", "console")
    }
    | {"seahaven.calls": {"level": "WARNING" if LOG_LEVEL == "INFO" else LOG_LEVEL}},  # DEBUG: a line a call
}
