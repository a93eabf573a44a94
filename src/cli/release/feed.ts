import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as products from '#licensing/catalog/products/index.ts';
import { servableReleases } from '#licensing/releases/releases/index.ts';
import { writeTextFile } from '#signing/keys/key-file.ts';
import { noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { copyBundles } from './feed-bundles.ts';
import { FEED_FORMATS, type Feed, type FeedFormat } from './feed-formats.ts';
import { bundlePath, type Channel, channelsWith, ofChannel, openReleases } from './feed-selection.ts';

/** A feed and the file that it becomes, below the folder. */
type NamedFeed = Feed & { readonly name: string };

/** `appctl release feed`. */
export async function writeFeed(cli: Cli): Promise<void> {
  const format = cli.required('format') as FeedFormat;
  const baseUrl = baseUrlAsked(cli, format);
  await withLocal(cli, async ({ ctx }) => {
    const product = await products.get(ctx, cli.required('product'));
    const releases = openReleases(await servableReleases(ctx, product.id), ctx.now());
    const channels = cli.given('channel') ? (cli.list('channel') as Channel[]) : channelsWith(releases);
    const feeds = [...new Set(channels)].map((channel): NamedFeed => {
      const content = { product, channel, releases: ofChannel(releases, channel), baseUrl };
      return { ...FEED_FORMATS[format].write(content), name: `${channel}${FEED_FORMATS[format].suffix}` };
    });
    const written = feeds.filter(({ text }) => text !== '');
    if (written.length === 0) throw nothingToOffer(format, product.slug);
    for (const { name } of feeds.filter(({ text }) => text === ''))
      cli.warn(`${name} was not written: ${LACKS[format]}`);
    const folder = cli.required('out');
    const offered = cli.flag('bundles') ? [...new Set(written.flatMap((feed) => feed.offered))] : [];
    // The bundles come first: no feed ever names a file that is not there.
    if (!cli.dryRun) await copyBundles(cli, ctx, folder, offered);
    if (!cli.dryRun) await writeAll(folder, written);
    const files = [...offered.map(bundlePath), ...written.map(({ name }) => name)].map((name) =>
      join(folder, name),
    );
    await cli.out.value(planned(cli, { files }), () => files.join('\n'));
    noteChange(cli, `wrote ${files.length} files`);
  });
}

const LACKS: Record<FeedFormat, string> = {
  json: 'no suitable release',
  appcast: 'no suitable release has a signature for Sparkle',
  tauri: 'no suitable release has a signature for Tauri',
};

const nothingToOffer = (format: FeedFormat, slug: string) =>
  conflictError(
    `nothing to write: ${LACKS[format]}`,
    format === 'json'
      ? `appctl release list --product ${slug}`
      : `appctl release ship FILE --${FLAGS[format]}`,
  );

const FLAGS = { appcast: 'sparkle', tauri: 'tauri' };

async function writeAll(folder: string, feeds: readonly NamedFeed[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of feeds)
    await writeTextFile(join(folder, name), text, { mode: 0o644, force: true });
}

/** @throws usage error (2) for another address, and for Tauri without one: its updater takes whole addresses only */
function baseUrlAsked(cli: Cli, format: FeedFormat): string | null {
  const text = cli.option('base-url');
  if (text === undefined) {
    if (format !== 'tauri') return null;
    throw usageError(
      '--base-url is required: Tauri only accepts absolute URLs',
      '--base-url https://cdn.example.com/editor',
    );
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  if (!isPlain || url.username !== '')
    throw usageError(`--base-url '${text}' is not a web address`, 'write https://cdn.example.com/editor');
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}
