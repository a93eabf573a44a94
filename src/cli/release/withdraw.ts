import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { releaseFlags } from './flags.ts';
import { actOn, type DeskRelease, releaseOf, withReleases } from './twin.ts';
import { releaseCard, releaseName, releaseView } from './view.ts';

/** What is done to one release, in the words of its confirmation and of its note. */
interface Step {
  /** Asked for before the change; undefined: nothing is asked. */
  ask?(name: string): string;
  change(desk: Desk, id: string): Promise<DeskRelease>;
  done(name: string, release: DeskRelease): string;
  /** Said when the release is as it was before. */
  already(name: string): string;
}

/** Runs a change of one release and answers the release. */
export async function changeRelease(cli: Cli, step: Step): Promise<void> {
  await namingFlags(releaseFlags, () =>
    withReleases(cli, async (desk) => {
      const before = await releaseOf(desk, cli.argument('id'));
      if (step.ask) await cli.confirm({ action: step.ask(releaseName(before)) });
      const release = await step.change(desk, before.id);
      await cli.out.value(planned(cli, releaseView(release)), releaseCard(release));
      const name = releaseName(release);
      noteChange(cli, isSame(before, release) ? step.already(name) : step.done(name, release));
    }),
  );
}

/** Whether nothing of a release changed but perhaps the time of its last change. */
function isSame(before: DeskRelease, after: DeskRelease): boolean {
  const text = (release: DeskRelease) => JSON.stringify({ ...releaseView(release), updatedAt: null });
  return text(before) === text(after);
}

/** `appctl release yank ID --reason T`. */
export function yankRelease(cli: Cli): Promise<void> {
  const how = { reason: cli.required('reason').trim(), unpublishFile: cli.flag('unpublish-file') };
  const what = how.unpublishFile ? 'from every client, and delete its bytes,' : 'from every client';
  return changeRelease(cli, {
    ask: (name) => `withdraw ${name} ${what}`,
    change: (desk, id) => actOn(desk, id, 'yank', how),
    done: (name) => `withdrew ${name}`,
    already: (name) => `${name} was already withdrawn`,
  });
}

/** `appctl release unyank ID [--reason T]`. */
export function unyankRelease(cli: Cli): Promise<void> {
  const note = cli.option('reason')?.trim();
  return changeRelease(cli, {
    ask: (name) => `undo the withdrawal of ${name}`,
    change: (desk, id) => actOn(desk, id, 'unyank', note ? { note } : {}),
    done: (name) => `${name} is no longer withdrawn`,
    already: (name) => `${name} was not withdrawn`,
  });
}

/** `appctl release archive ID`. */
export const archiveRelease = (cli: Cli): Promise<void> =>
  changeRelease(cli, {
    change: (desk, id) => actOn(desk, id, 'archive'),
    done: (name) => `archived ${name}: nobody is offered it`,
    already: (name) => `${name} was already archived`,
  });

/** `appctl release delete ID`. */
export function deleteRelease(cli: Cli): Promise<void> {
  return withReleases(cli, async (desk) => {
    const id = cli.argument('id');
    await desk.delete(at`releases/${id}`);
    const result = { ok: true as const, action: 'deleted' as const, id, changed: !cli.dryRun };
    await cli.out.value(planned(cli, result), () => `${cli.dryRun ? 'would delete' : 'deleted'} ${id}`);
  });
}
