"""How does Django know the company?"""

from worlds.engine import World, WorldConfig


class CompanyConfig(WorldConfig):
    """The app of the company world, which embeds the systems a company works with."""

    name = "worlds.company"
    label = "company"
    verbose_name = "Company"
    world = World(
        "company",
        version="1.0.0",
        description="A company at work: CRM, helpdesk, mail and payments, and the tools of an office that uses all.",
    )
    world.embed("crm", name="crm", tool_prefix="crm_")
    world.embed("helpdesk", name="helpdesk", tool_prefix="helpdesk_")
    world.embed("mail", name="mail", tool_prefix="mail_")
    world.embed("stripe", name="payments", tool_prefix="payments_")
