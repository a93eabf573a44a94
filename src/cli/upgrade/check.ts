import { buildInfo } from '#kernel/build-info.ts';
import type { Config } from '#kernel/config/config.ts';
import { sizeText } from '#kernel/size-words.ts';
import { type Feed, type GivenBundle, type Offer, openFeed } from '../../app/upgrade/feed.ts';
import type { Cli } from '../frame/context.ts';
import { usageError, verificationError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { shellWords } from '../printed-text.ts';
import { publicKeysOfFlag } from '../release/public-key-source.ts';
import { trustedConfig } from './trusted-config.ts';

/** `appctl upgrade check`: ends with 8 when there is a newer version. */
export async function checkUpgrade(cli: Cli): Promise<number> {
  const { config } = await trustedConfig(cli);
  const feed = await feedAsked(cli, config);
  const offer = await feed.offer();
  const answer = {
    ...offeredView(config, offer),
    sizeBytes: offer?.bundleSize ?? null,
    changelog: offer?.changelog ?? '',
  };
  await cli.out.value(answer, () => describe(feed.display, offer));
  if (offer === null) return exits.done;
  cli.next(shellWords(['appctl', 'upgrade', 'apply', ...sourceGiven(cli)]));
  return exits.pending;
}

/** The options of this line that say what is offered and who must have signed it: the next command needs them as well. */
const sourceGiven = (cli: Cli): string[] =>
  ['file', 'signature', 'pubkey'].flatMap((name) => {
    const given = cli.option(name);
    return given === undefined ? [] : [`--${name}`, given];
  });

/** The feed that the line names, else that of the configuration. @throws CliError (6) without a key, ConfigError (78) */
export async function feedAsked(cli: Cli, config: Config): Promise<Feed> {
  const given = givenBundle(cli);
  if (!cli.given('pubkey')) return openFeed(config, given);
  const keys = await publicKeysOfFlag(cli);
  if (keys.length === 0) throw verificationError('--pubkey contains no public key that may be trusted');
  const pubkeys = keys.map((key) => key.toString('base64'));
  return openFeed({ ...config, update: { ...config.update, pubkeys } }, given);
}

/** The executable that the line names; null for that of the feed. @throws usage error (2) */
function givenBundle(cli: Cli): GivenBundle | null {
  const file = cli.option('file');
  const signature = cli.option('signature') ?? null;
  if (file !== undefined) return { file, signature };
  if (signature !== null)
    throw usageError('--signature needs --file', 'name the executable with --file FILE');
  return null;
}

/** What both commands print about an offer. */
export const offeredView = ({ update }: Config, offer: Offer | null) => ({
  current: buildInfo().version,
  available: offer?.version ?? null,
  channel: update.channel,
  isCritical: offer?.isCritical ?? false,
  requiresMigration: offer?.requiresMigration ?? false,
});

function describe(display: string, offer: Offer | null): string {
  const { version } = buildInfo();
  if (offer === null) return `appctl ${version} is the newest version at ${display}`;
  const notes = [
    ...(offer.isCritical ? ['It fixes something critical.'] : []),
    ...(offer.requiresMigration ? ['It changes the database schema.'] : []),
  ];
  return [
    `appctl ${offer.version} is available (${sizeText(offer.bundleSize)}); this is ${version}. Its signature is valid.`,
    ...notes,
    ...changelogLines(offer.changelog),
  ].join('\n');
}

/** Nobody signed it: no line of it may pass for one of this program. */
function changelogLines(changelog: string): string[] {
  const lines = changelog.trim().split(/\r\n|[\n\r\v\f\x85\u2028\u2029]/);
  if (lines.join('') === '') return [];
  return [
    '',
    'What the feed says about it (this text is not signed):',
    ...lines.map((line) => `    ${line}`.trimEnd()),
  ];
}
