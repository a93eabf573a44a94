import { planned } from '../change.ts';
import { at, type ChangeOptions, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { act, anyLicenseOf, named, withLicenses } from './twin.ts';
import { idAsked, reasonAsked } from './view.ts';

type Verb = 'trashed' | 'restored' | 'purged';

interface Step {
  verb: Verb;
  /** What is asked before it happens, if anything. */
  question?: (license: string) => string;
  work: (desk: Desk, id: string, options?: ChangeOptions) => Promise<unknown>;
  /** Whether anything changes, by whether the license is in the trash. */
  changes: (isTrashed: boolean) => boolean;
}

/** `appctl license delete ID [--reason T]`: into the trash. */
export async function trashLicense(cli: Cli): Promise<void> {
  const body = cli.given('reason') ? { reason: reasonAsked(cli) } : {};
  await step(cli, {
    verb: 'trashed',
    question: (license) =>
      `move ${license} to the trash: its machines are deactivated and its key stops working`,
    work: (desk, id, options) => desk.delete(at`licenses/${id}`, options, body),
    changes: (isTrashed) => !isTrashed,
  });
}

/** `appctl license restore ID`: out of the trash. */
export const restoreLicense = (cli: Cli): Promise<void> =>
  step(cli, {
    verb: 'restored',
    work: (desk, id) => act(desk, id, 'restore'),
    changes: (isTrashed) => isTrashed,
  });

/** `appctl license purge ID`: for good. */
export const purgeLicense = (cli: Cli): Promise<void> =>
  step(cli, {
    verb: 'purged',
    question: (license) => `delete ${license} with its key, machines and usage for good`,
    work: (desk, id, options) => desk.delete(at`licenses/${id}/purge`, options),
    changes: () => true,
  });

const told: Readonly<Record<Verb, readonly [done: string, already: string]>> = {
  trashed: ['is in the trash', 'was already in the trash'],
  restored: ['is restored', 'was not in the trash'],
  purged: ['is deleted', ''],
};

async function step(cli: Cli, { verb, question, work, changes }: Step): Promise<void> {
  const asked = idAsked(cli);
  await withLicenses(cli, async (desk) => {
    // From here on by its id: what was typed may mean another license a moment later.
    const license = await anyLicenseOf(desk, asked);
    const { id } = license;
    const changed = changes(license.deletedAt !== undefined);
    if (question) {
      // Before the question: what cannot happen cannot be agreed to.
      await work(desk, id, { rehearse: true });
      await cli.confirm({ action: question(named(license)), name: id });
    }
    await work(desk, id);
    const answer = planned(cli, { ok: true as const, action: verb, id, changed });
    const [done, already] = told[verb];
    await cli.out.value(answer, () => `${id} ${changed ? done : already}`);
    if (cli.dryRun) cli.note('dry run: nothing was changed');
    else if (verb === 'trashed' && changed) cli.next(`appctl license restore ${id}`);
  });
}
