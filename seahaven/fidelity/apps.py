"""What is the fidelity kit to Django? An app without models, so that its commands are found."""

from django.apps import AppConfig


class FidelityConfig(AppConfig):
    name = "seahaven.fidelity"
    label = "seahaven_fidelity"
    verbose_name = "Fidelity"
