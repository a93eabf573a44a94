import { bundleUrl, type Channel, type FeedRelease } from './feed-selection.ts';

/** What a feed is written from. */
export interface FeedContent {
  readonly product: { readonly name: string; readonly slug: string };
  readonly channel: Channel;
  /** Newest version first. */
  readonly releases: readonly FeedRelease[];
  /** With a slash at its end; null: addresses are relative. */
  readonly baseUrl: string | null;
}

/** The text of a feed, and the releases that are in it. */
export interface Feed {
  readonly text: string;
  readonly offered: readonly FeedRelease[];
}

export const FEED_FORMATS = {
  json: { suffix: '.json', write: jsonFeed },
  appcast: { suffix: '.xml', write: appcast },
  tauri: { suffix: '.json', write: tauriFeed },
} as const satisfies Record<string, { suffix: string; write: (content: FeedContent) => Feed }>;

export type FeedFormat = keyof typeof FEED_FORMATS;

/** Everything that a client of our own checks. */
function jsonFeed({ product, channel, releases, baseUrl }: FeedContent): Feed {
  const items = releases.map((release) => ({
    id: release.id,
    version: release.version,
    channel: release.channel,
    platform: release.platform,
    arch: release.arch,
    url: bundleUrl(release, baseUrl),
    size: release.bundleSize,
    sha256: release.bundleSha256,
    signature: release.signature,
    keyId: release.keyId,
    statement: release.statement,
    statementSignature: release.statementSignature,
    sequence: release.sequence,
    isCritical: release.isCritical,
    requiresMigration: release.requiresMigration,
    minFromVersion: release.minFromVersion,
    changelog: release.changelog,
    publishedAt: release.publishedAt,
  }));
  const document = { product: product.slug, channel, releases: items };
  return { text: `${JSON.stringify(document, null, 2)}\n`, offered: releases };
}

/** Names that Tauri has for the systems and processors of licensing 6.7. */
const TAURI_SYSTEMS = ['darwin', 'linux', 'windows'];
const TAURI_PROCESSORS: Readonly<Record<string, string>> = {
  x64: 'x86_64',
  arm64: 'aarch64',
  ia32: 'i686',
  armv7: 'armv7',
};

/** One version with an address for each target: the newest that is signed for Tauri. */
function tauriFeed({ releases, baseUrl }: FeedContent): Feed {
  const signed = releases.filter(({ extraSignatures }) => extraSignatures.tauri !== undefined);
  const newest = signed.find((release) => tauriTargets(release).length > 0);
  const offered = signed.filter(({ version }) => version === newest?.version);
  // A release for one target wins over one for any: it is written last.
  const entries = offered
    .toSorted((a, b) => specificity(a) - specificity(b))
    .flatMap((release) => {
      const entry = { signature: release.extraSignatures.tauri, url: bundleUrl(release, baseUrl) };
      return tauriTargets(release).map((target) => [target, entry] as const);
    });
  if (newest === undefined) return { text: '', offered: [] };
  const document = {
    version: newest.version,
    notes: newest.changelog,
    pub_date: newest.publishedAt,
    platforms: Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
  return { text: `${JSON.stringify(document, null, 2)}\n`, offered };
}

const specificity = ({ platform, arch }: FeedRelease): number =>
  (platform === '' ? 0 : 2) + (arch === '' || arch === 'universal' ? 0 : 1);

function tauriTargets({ platform, arch }: FeedRelease): string[] {
  const systems = platform === '' ? TAURI_SYSTEMS : TAURI_SYSTEMS.filter((system) => system === platform);
  const isAny = arch === '' || arch === 'universal';
  const processors = isAny ? Object.values(TAURI_PROCESSORS) : [TAURI_PROCESSORS[arch] ?? ''];
  return systems.flatMap((system) => processors.map((processor) => `${system}-${processor}`));
}

/** What `sparkle:os` says: Sparkle itself reads none, WinSparkle and NetSparkle the others. */
const SPARKLE_SYSTEMS: Readonly<Record<string, string | null>> = {
  ' ': null,
  'darwin ': null,
  'darwin universal': null,
  'windows ': 'windows',
  'windows x64': 'windows-x64',
  'windows ia32': 'windows-x86',
  'windows arm64': 'windows-arm64',
  'linux ': 'linux',
};

/** An RSS feed as Sparkle and its kin read it. macOS builds for one processor cannot be told apart there. */
function appcast({ product, channel, releases, baseUrl }: FeedContent): Feed {
  const offered = releases.filter(
    (release) =>
      release.extraSignatures.sparkle !== undefined &&
      Object.hasOwn(SPARKLE_SYSTEMS, `${release.platform} ${release.arch}`),
  );
  if (offered.length === 0) return { text: '', offered };
  const text = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">',
    '  <channel>',
    `    <title>${xml(product.name)} (${channel})</title>`,
    ...offered.flatMap((release) => appcastItem(release, baseUrl)),
    '  </channel>',
    '</rss>',
    '',
  ].join('\n');
  return { text, offered };
}

function appcastItem(release: FeedRelease, baseUrl: string | null): string[] {
  const system = SPARKLE_SYSTEMS[`${release.platform} ${release.arch}`];
  const attributes = {
    url: bundleUrl(release, baseUrl),
    length: String(release.bundleSize),
    type: 'application/octet-stream',
    ...(system && { 'sparkle:os': system }),
    'sparkle:edSignature': release.extraSignatures.sparkle ?? '',
  };
  const enclosure = Object.entries(attributes).map(([name, value]) => `${name}="${xml(value)}"`);
  return [
    '    <item>',
    `      <title>${xml(release.version)}</title>`,
    `      <pubDate>${new Date(release.publishedAt).toUTCString()}</pubDate>`,
    `      <sparkle:version>${xml(release.version)}</sparkle:version>`,
    `      <sparkle:shortVersionString>${xml(release.version)}</sparkle:shortVersionString>`,
    ...(release.isCritical ? ['      <sparkle:criticalUpdate/>'] : []),
    `      <description sparkle:format="plain-text">${xml(release.changelog)}</description>`,
    `      <enclosure ${enclosure.join(' ')}/>`,
    '    </item>',
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for an element or an attribute. XML has no way to write control characters other than white space. */
const xml = (text: string): string =>
  text
    .replaceAll(/[^\P{Cc}\t\n\r]/gu, '')
    .replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
