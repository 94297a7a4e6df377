"""How are recorded episodes found, read, downloaded and replayed in the admin?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import orjson
from asgiref.sync import async_to_sync, sync_to_async
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, StreamingHttpResponse
from django.template.defaultfilters import filesizeformat
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from openenv_api import recorded, recorded_calls
from openenv_api.models import RecordedEpisode
from openenv_api.reopening import reopen
from worlds.engine import EpisodeError, SeahavenError, episode_documents

PER_PAGE = 50
#: The page of an instance is the console's, which is known here by the name of its URL alone.
INSTANCE_PAGE = "console:instance-detail"


class HadRefusals(admin.SimpleListFilter):
    """Did everything succeed?"""

    title = "refusals"
    parameter_name = "refused"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Had refusals"), ("no", "Had none")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "yes":
            return queryset.filter(refusals__gt=0)
        return queryset.filter(refusals=0) if self.value() == "no" else queryset


class OfKey(admin.SimpleListFilter):
    """Whose key opened it?"""

    title = "API key"
    parameter_name = "key"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        names = RecordedEpisode.objects.exclude(key_name="").order_by("key_name")
        return [(name, name) for name in names.values_list("key_name", flat=True).distinct()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(key_name=self.value()) if self.value() else queryset


class CallsForm(forms.Form):
    """Which calls of an episode are wanted."""

    tool = forms.ChoiceField(required=False)
    refused = forms.BooleanField(required=False, label="Refused only")

    def __init__(self, tools: Sequence[str], data: Any) -> None:
        super().__init__(data)
        self.fields["tool"] = forms.ChoiceField(
            required=False, choices=[("", "every tool"), *((tool, tool) for tool in sorted(tools))]
        )


class RecordedEpisodeAdmin(admin.ModelAdmin):
    """Looked at and deleted; nobody adds one by hand, or changes one."""

    list_display = (
        "ended", "world", "fixture_name", "seed", "calls", "refused", "rows", "reward", "came_by", "took", "size_shown"
    )  # fmt: skip
    list_filter = ("world", "fixture", "door", HadRefusals, "ended_at", OfKey)
    list_per_page = PER_PAGE
    date_hierarchy = "ended_at"
    search_fields = ("instance_id", "episode_id", "tools", "world", "fixture", "key_name")
    search_help_text = "Instance or episode id, a tool that was called, world, fixture, or API key"
    actions = ("download",)

    class Media:
        css = {"all": ["access/recorded.css"]}

    # Who may do what: `view`, `delete` and `replay` are given to the roles.

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_replay_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("openenv_api.replay_recordedepisode"))

    # The list.

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        share = float(settings.SEAHAVEN_RECORD_EPISODES)
        about = {"recording_share": f"{share:.4g}" if 0 < share < 1 else "all" if share else ""}
        about["recording_kept"] = f"the newest {settings.SEAHAVEN_RECORD_KEEP}" if settings.SEAHAVEN_RECORD_KEEP else ""
        return super().changelist_view(request, {**about, **(extra_context or {})})

    @admin.display(description="ended", ordering="ended_at")
    def ended(self, episode: RecordedEpisode) -> str:
        return f"{episode.ended_at:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="rows", ordering="rows_changed")
    def rows(self, episode: RecordedEpisode) -> int:
        return episode.rows_changed

    @admin.display(description="door", ordering="door")
    def came_by(self, episode: RecordedEpisode) -> str:
        return f"{episode.door}, {episode.key_name}" if episode.key_name else episode.door

    @admin.display(description="fixture", ordering="fixture", empty_value="blank")
    def fixture_name(self, episode: RecordedEpisode) -> str | None:
        return episode.fixture or None

    @admin.display(description="calls", ordering="call_count")
    def calls(self, episode: RecordedEpisode) -> SafeString:
        return format_html('<span title="{}">{}</span>', episode.tools, episode.call_count)

    @admin.display(description="refusals", ordering="refusals")
    def refused(self, episode: RecordedEpisode) -> SafeString | int:
        return format_html('<strong class="refused">{}</strong>', episode.refusals) if episode.refusals else 0

    @admin.display(description="took")
    def took(self, episode: RecordedEpisode) -> str:
        if episode.begun_at is None:
            return "-"
        seconds = (episode.ended_at - episode.begun_at).total_seconds()
        return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.0f} min"

    @admin.display(description="document", ordering="size")
    def size_shown(self, episode: RecordedEpisode) -> str:
        return filesizeformat(episode.size) if episode.file else "none"

    @admin.action(description="Download the selected episodes as JSON lines", permissions=["view"])
    def download(self, request: HttpRequest, queryset: QuerySet[RecordedEpisode]) -> HttpResponseBase | None:
        ids = list(queryset.exclude(file="").order_by("ended_at", "id").values_list("id", flat=True))
        if not ids:
            self.message_user(request, "None of these episodes has a document.", messages.WARNING)
            return None
        answer = StreamingHttpResponse(_lines(ids), content_type="application/x-ndjson")
        answer["Content-Disposition"] = f'attachment; filename="episodes-{timezone.now():%Y-%m-%d-%H%M%S}.jsonl"'
        return answer

    # One of them.

    def get_urls(self) -> list[URLPattern]:
        def at(route: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
            return path(
                f"<int:pk>/{route}", self.admin_site.admin_view(view), name=f"openenv_api_recordedepisode_{name}"
            )

        own = [
            at("episode.json", self.episode_view, "episode"),
            at("state.json", self.state_view, "state"),
            at("replay/", self.replay_view, "replay"),
        ]
        urls: list[URLPattern] = super().get_urls()
        return own + urls

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        episode = self._of(request, object_id)
        if episode is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        try:
            document, problem = orjson.loads(recorded.document_of(episode)), ""
        except (EpisodeError, ValueError) as error:
            document, problem = {"moves": []}, str(error)
        form = CallsForm(episode.tools.split(), request.GET)
        asked: dict[str, Any] = form.cleaned_data if form.is_valid() else {"tool": "", "refused": False}
        moves = [
            (number, move)
            for number, move in enumerate(document["moves"])
            if recorded_calls.matches(move, asked["tool"], refused=asked["refused"])
        ]
        page = Paginator(moves, PER_PAGE).get_page(request.GET.get("page"))
        kept = request.GET.copy()
        kept.pop("page", None)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": str(episode),
            "episode": episode,
            "task": recorded_calls.Text.of(document["task"]) if document.get("task") is not None else None,
            "problem": problem,
            "form": form,
            "page": page,
            "shown": [recorded_calls.shown(number, move) for number, move in page.object_list],
            "total": len(document["moves"]),
            "kept": kept.urlencode(),
            "took": self.took(episode),
            "can_replay": self.has_replay_permission(request),
            "can_delete": self.has_delete_permission(request, episode),
        }
        return TemplateResponse(request, "admin/openenv_api/recordedepisode/detail.html", context)

    def episode_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The episode document, to keep."""
        return self._document(request, pk, "episode", lambda text: text)

    def state_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """The state document at its end, to keep."""
        return self._document(request, pk, "state", lambda text: orjson.dumps(episode_documents.read(text).state()))

    def _document(self, request: HttpRequest, pk: int, kind: str, made: Callable[[bytes], bytes]) -> HttpResponse:
        episode = self._required(request, pk)
        try:
            text = made(recorded.document_of(episode))
        except EpisodeError as error:
            return self._back(request, episode, str(error))
        answer = HttpResponse(text, content_type="application/json")
        answer["Content-Disposition"] = f'attachment; filename="{kind}-{episode.instance_id}.json"'
        return answer

    def replay_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Make its moves again on a new instance, and go there."""
        episode = self._required(request, pk)
        if not self.has_replay_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            return self._back(request, episode, "A replay opens an instance, so it is begun by its button.")
        try:
            hosted, done = async_to_sync(reopen)(recorded.document_of(episode))
        except SeahavenError as error:
            return self._back(request, episode, f"It cannot be replayed: {error}")
        if done.divergences:
            more = f" (and {len(done.divergences) - 1} more)" if len(done.divergences) > 1 else ""
            self.message_user(request, f"It diverged: {done.divergences[0]}{more}", messages.WARNING)
        elif done.stopped:
            self.message_user(request, f"It was replayed up to move {done.made}: {done.stopped}", messages.WARNING)
        else:
            self.message_user(request, f"It went the same way: {done.made} moves are equal.", messages.SUCCESS)
        return HttpResponseRedirect(reverse(INSTANCE_PAGE, args=[hosted.id]))

    def _back(self, request: HttpRequest, episode: RecordedEpisode, problem: str) -> HttpResponse:
        self.message_user(request, problem, messages.ERROR)
        return HttpResponseRedirect(reverse("admin:openenv_api_recordedepisode_change", args=[episode.pk]))

    def _of(self, request: HttpRequest, object_id: Any) -> RecordedEpisode | None:
        if not self.has_view_permission(request):
            raise PermissionDenied
        found: RecordedEpisode | None = self.get_object(request, str(object_id))
        return found

    def _required(self, request: HttpRequest, pk: int) -> RecordedEpisode:
        episode = self._of(request, pk)
        if episode is None:
            raise PermissionDenied
        return episode


async def _lines(ids: list[int]) -> AsyncIterator[bytes]:
    """The documents, one at a time; one that went meanwhile is left out."""
    for pk in ids:
        document = await sync_to_async(_document_of)(pk)
        if document is not None:
            yield document + b"\n"


def _document_of(pk: int) -> bytes | None:
    episode = RecordedEpisode.objects.filter(pk=pk).first()
    try:
        return None if episode is None else recorded.document_of(episode)
    except EpisodeError:
        return None
