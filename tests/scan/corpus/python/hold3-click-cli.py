# benign: a tool with commands
import click

@click.group()
def cli():
    """Manage notes."""

@cli.command()
@click.argument("text")
def add(text):
    with open("notes.txt", "a") as f:
        f.write(text + "\n")

@cli.command("list")
def list_():
    for i, line in enumerate(open("notes.txt"), 1):
        click.echo(f"{i}: {line.rstrip()}")

if __name__ == "__main__":
    cli()
