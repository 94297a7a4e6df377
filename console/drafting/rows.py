"""How does a request reach the rows of the draft that its address names?

The admin's own views run with the draft's store behind Django's database aliases and with the draft's address in front
of every link they make, so that two tabs with two drafts cannot mix. What they need of the control database is read
before, and what they answer is rendered there and then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import get_script_prefix, get_urlconf, resolve, reverse, set_script_prefix, set_urlconf
from django.utils import timezone

from console.access import Role, role_of
from console.drafting.drafts import DRAFTS, DraftTrouble, OpenDraft
from console.drafting.journal import Act, Edit
from console.models import Draft
from worlds.engine import DbError
from worlds.engine.names import schema_name

#: What changes nothing.
SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass
class Drafting:
    """What the admin's pages of a draft know of it."""

    draft: Draft
    #: The path of the world whose rows are shown, and every world of the draft: its name, path and address.
    node: str
    nodes: list[tuple[str, str, str]]
    open: OpenDraft
    #: Addresses outside.
    home: str
    drafts: str
    password: str
    logout: str
    acts: list[Act] = field(default_factory=list)

    @property
    def title(self) -> str:
        return str(self.draft.title)

    @property
    def node_name(self) -> str:
        return next(name for name, path, _ in self.nodes if path == self.node)

    @property
    def edits(self) -> list[Edit]:
        return self.open.edits

    @property
    def latest(self) -> list[Edit]:
        """The last few edits, the last one first."""
        return self.edits[:-6:-1]


def may_draft(user: Any) -> bool:
    """May somebody make drafts: a curator who may enter the admin at all?"""
    return bool(user.is_active and user.is_staff and role_of(user) >= Role.CURATOR)


def visible_to(user: Any) -> Any:
    """The drafts somebody may see: their own, or for a superuser all."""
    return Draft.objects.all() if user.is_superuser else Draft.objects.filter(owner_id=user.pk)


def begin(request: HttpRequest, draft_id: Any) -> HttpResponseBase:
    """The address without a world leads to the first."""
    return HttpResponseRedirect(reverse("drafting:rows", args=[draft_id, "main"]))


def rows(request: HttpRequest, draft_id: Any, node: str, rest: str = "") -> HttpResponseBase:
    """Every page of the admin of a draft's rows."""
    user = request.user
    if not user.is_authenticated:
        return HttpResponseRedirect(f"{reverse('admin:login')}?next={request.get_full_path()}")
    if not may_draft(user):
        raise PermissionDenied("Drafts are for curators who are staff.")
    draft = visible_to(user).select_related("owner").filter(pk=draft_id).first()
    if draft is None:
        raise Http404("There is no such draft of yours.")
    try:
        return _rows(request, draft, node, rest)
    except DraftTrouble as trouble:
        return troubled(request, draft, trouble)


def _rows(request: Any, draft: Draft, node: str, rest: str) -> HttpResponseBase:
    opened = DRAFTS.get(draft.pk)
    paths = {schema_name(path): path for path in opened.instance().composition()}
    if node not in paths:
        raise Http404(f"This draft has no world {node!r:.60}.")
    path = paths[node]
    request.drafting = drafting = Drafting(
        draft=draft,
        node=path,
        nodes=[(_named(draft, each), each, reverse("drafting:rows", args=[draft.pk, n])) for n, each in paths.items()],
        open=opened,
        home=reverse("admin:console_draft_change", args=[draft.pk]),
        drafts=reverse("admin:console_draft_changelist"),
        password=reverse("admin:password_change"),
        logout=reverse("admin:logout"),
    )
    request.user.get_all_permissions()  # which a template may ask for where there is no control database
    serve = partial(_serve, request, reverse("drafting:rows", args=[draft.pk, node]), rest)
    if request.method in SAFE:
        with opened.reading(path):
            return serve(drafting.acts)
    known = len(opened.edits)
    try:
        answer = opened.edit(request.user.get_username(), path, lambda acts: _noting(drafting, acts, serve))
    except (DatabaseError, DbError) as error:
        return _refused(request, draft, error)
    if (count := len(opened.edits)) != known:
        Draft.objects.filter(pk=draft.pk).update(edits=count, changed_at=timezone.now())  # noqa: TID251 - real time
    return answer


def _noting(drafting: Drafting, acts: list[Act], serve: Any) -> HttpResponseBase:
    drafting.acts = acts
    answer: HttpResponseBase = serve(acts)
    return answer


def _named(draft: Draft, path: str) -> str:
    return draft.world if path == "main" else path


def _serve(request: HttpRequest, prefix: str, rest: str, acts: list[Act]) -> HttpResponseBase:
    with _under(prefix):
        match = resolve(f"/{rest}")
        request.resolver_match = match
        answer: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        if isinstance(answer, TemplateResponse):
            answer.render()
        return answer


@contextmanager
def _under(prefix: str) -> Iterator[None]:
    """A block whose links are those of the draft's admin, under its address."""
    before, conf = get_script_prefix(), get_urlconf()
    set_script_prefix(prefix)
    set_urlconf("console.drafting.rows_urls")
    try:
        yield
    finally:
        set_script_prefix(before)
        set_urlconf(conf)


def troubled(request: HttpRequest, draft: Draft, trouble: DraftTrouble) -> HttpResponse:
    """The page of a draft that cannot be opened."""
    context = {
        **admin.site.each_context(request),
        "title": f"{draft.title} cannot be opened",
        "draft": draft,
        "message": str(trouble),
        "has_other_parent": trouble.has_other_parent,
    }
    return TemplateResponse(request, "admin/drafting/trouble.html", context, status=409).render()


def _refused(request: HttpRequest, draft: Draft, error: Exception) -> HttpResponse:
    """What the database would not take was not done."""
    told = getattr(error, "sqlite_message", None) or str(error)
    messages.error(request, f"Nothing was changed, for the database refused it: {told}. Go back to mend it.")
    return HttpResponseRedirect(request.get_full_path())
