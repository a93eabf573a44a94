import { isoTime, systemClock } from '#kernel/clock.ts';
import type { SigningKey } from '#kernel/ed25519.ts';
import type { Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { signingKeyOfFlag } from './key-source.ts';
import { nextSequence, siblingsOf } from './siblings.ts';
import { digestOfRelease, signedStatement, statementInput } from './statement.ts';
import { actOn, type DeskRelease, releaseOf, type SignedStatement, signOn } from './twin.ts';
import { releaseName } from './view.ts';
import { changeRelease } from './withdraw.ts';

/** `appctl release promote ID --to CHANNEL`. */
export async function promoteRelease(cli: Cli): Promise<void> {
  const channel = cli.required('to') as DeskRelease['channel'];
  const key = cli.given('key') ? await signingKeyOfFlag(cli) : null;
  const lost = ['sequence', 'statement-days'].find((name) => cli.given(name));
  if (key === null && lost !== undefined) throw usageError(`--${lost} needs --key`);
  await changeRelease(cli, {
    change: async (desk, id) => {
      const statement = await statementFor(cli, desk, id, channel, key);
      return actOn(desk, id, 'promote', { channel, ...statement });
    },
    done: (name) => `${name} is on channel ${channel}`,
    already: (name) => `${name} was already on channel ${channel}`,
  });
}

async function statementFor(
  cli: Cli,
  desk: Desk,
  id: string,
  channel: DeskRelease['channel'],
  key: SigningKey | null,
): Promise<SignedStatement | null> {
  const release = await releaseOf(desk, id);
  if (key === null) {
    if (release.statementExpiresAt === null || release.channel === channel) return null;
    throw usageError(
      `--key is required: ${releaseName(release)} has a signed statement, and the new channel needs a new one`,
      `appctl release promote ${id} --to ${channel} --key KEY`,
    );
  }
  const wanted = { ...release, channel };
  const now = isoTime(systemClock.epochMs());
  const sequence = cli.integer('sequence') ?? nextSequence(await siblingsOf(desk, wanted), wanted, now);
  const input = statementInput(wanted, sequence, cli.integer('statement-days'));
  return signedStatement(input, digestOfRelease(wanted), key);
}

/** `appctl release renew ID --key KEY`. */
export async function renewRelease(cli: Cli): Promise<void> {
  const key = await signingKeyOfFlag(cli);
  await changeRelease(cli, {
    change: async (desk, id) => {
      const release = await releaseOf(desk, id);
      // The service refuses a release that has no statement, whatever number this one has.
      const input = statementInput(release, release.sequence ?? 0, cli.integer('statement-days'));
      const statement = signedStatement(input, digestOfRelease(release), key);
      // A draft would take it for a new signature.
      if (release.state === 'DRAFT') throw notPublished(release);
      return signOn(desk, id, { signature: release.signature ?? '', ...statement });
    },
    done: (name) => `renewed the statement of ${name}`,
    already: (name) => `the statement of ${name} was already so`,
  });
}

const notPublished = (release: DeskRelease): CliError =>
  new CliError(
    exits.conflict,
    'CONFLICT',
    `${releaseName(release)} is a draft, whose statement is not renewed`,
    {
      hint: `appctl release upload ${release.id} FILE --key KEY`,
      details: { reason: 'NOT_PUBLISHED' },
    },
  );
