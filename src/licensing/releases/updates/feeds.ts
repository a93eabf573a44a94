import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { type Content, textContent } from '#kernel/http/content.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { UpdateStanding } from '#licensing/licenses/standing/index.ts';
import { judgeUpdate, requireProduct, rightsOf } from './access.ts';
import { type Candidate, rememberedReleases } from './catalogue.ts';
import { countCheck, questionOf } from './check.ts';
import { chooseBuilds, chooseRelease, type Question } from './choose.ts';
import type { ElectronAsked, TauriAsked, TauriReply } from './schemas.ts';
import { isServed, type ServedRelease } from './served.ts';

/**
 * What Tauri's updater asks for (licensing 6.12). A release without the content of a `.sig` file is not offered: that
 * client could not verify it.
 *
 * @returns null when there is nothing newer
 * @throws AppError INVALID_LICENSE
 */
export async function tauriFeed(
  ctx: Ctx,
  standing: UpdateStanding,
  asked: TauriAsked,
  machineId: string,
): Promise<z.output<typeof TauriReply> | null> {
  const candidates = await candidatesFor(ctx, standing, asked.product, machineId);
  const now = ctx.now();
  const signed = candidates.filter(({ release }) => release.extraSignatures.tauri !== undefined);
  const question = questionOf(
    standing,
    { ...asked, platform: asked.target, key_ids: undefined },
    machineId,
    now,
  );
  const choice = chooseRelease(signed, question, now);
  countCheck(ctx, choice, asked.current_version);
  const release = choice.offer?.release;
  if (!release || !isServed(release, now)) return null;
  return {
    version: release.version,
    url: fileUrl(ctx, release),
    signature: release.extraSignatures.tauri ?? '',
    notes: release.changelog,
    pub_date: release.publishedAt,
  };
}

/** What electron-updater calls a file, by what follows the name of the channel, and the processors that it is read on. */
const ELECTRON_FILES: ReadonlyMap<string, { platform: string; archs: readonly string[] }> = new Map([
  ['.yml', { platform: 'windows', archs: ['x64', 'ia32', 'arm64'] }],
  ['-mac.yml', { platform: 'darwin', archs: ['x64', 'arm64'] }],
  ['-linux.yml', { platform: 'linux', archs: ['x64'] }],
  ['-linux-arm64.yml', { platform: 'linux', archs: ['arm64'] }],
]);

/**
 * What electron-updater asks for (licensing 6.12): the newest release, whatever is installed, with one file for each
 * processor that has its own.
 *
 * @throws AppError INVALID_LICENSE; NOT_FOUND for a name that electron-updater does not ask for, and without a release
 */
export async function electronFeed(
  ctx: Ctx,
  standing: UpdateStanding,
  { product, channel, file }: ElectronAsked,
  machineId: string,
): Promise<Content> {
  const candidates = await candidatesFor(ctx, standing, product, machineId);
  const name = ['latest', channel].find((one) => file.startsWith(one)) ?? '';
  const meant = name === '' ? undefined : ELECTRON_FILES.get(file.slice(name.length));
  if (!meant) throw fail('NOT_FOUND', 'Feed not found');
  const now = ctx.now();
  const { platform } = meant;
  const question: Omit<Question, 'arch'> = {
    installed: null,
    channel,
    platform,
    subject: machineId || standing.license.id,
    keyIds: null,
    rights: rightsOf(standing, now),
  };
  const { offered, whenRolledOut } = chooseBuilds(candidates, question, meant.archs, now);
  for (const one of new Set([...whenRolledOut, ...offered])) {
    countCheck(ctx, { offer: offered.includes(one) ? one : null, whenRolledOut: one }, '');
  }
  const releases = offered.map(({ release }) => release).filter((one) => isServed(one, now));
  const [first] = releases;
  if (!first) throw fail('NOT_FOUND', 'Release not found');
  const text = await electronText(ctx, first, releases);
  return textContent('text/yaml; charset=utf-8', text, { etag: `"${sha256Hex(text)}"` });
}

async function electronText(
  ctx: Ctx,
  first: ServedRelease,
  releases: readonly ServedRelease[],
): Promise<string> {
  // Few installations have such clients: the others need not load it.
  const { stringify } = await import('yaml');
  const files = releases.map((release) => ({
    url: fileUrl(ctx, release),
    sha512: release.bundleSha512,
    size: release.bundleSize,
  }));
  const told = {
    version: first.version,
    files,
    path: files[0]?.url,
    sha512: first.bundleSha512,
    releaseDate: first.publishedAt,
    ...(first.changelog !== '' && { releaseNotes: first.changelog }),
  };
  // That client reads YAML 1.1, where a plain date is no text, nor is 0b11.
  return stringify(told, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 });
}

async function candidatesFor(
  ctx: Ctx,
  standing: UpdateStanding,
  product: string,
  machineId: string,
): Promise<readonly Candidate[]> {
  requireProduct(ctx, standing, product, machineId);
  judgeUpdate(ctx, standing, null, machineId);
  return (await rememberedReleases(ctx, standing.product.id, standing.releasesVersion)).candidates;
}

/** The address ends in the name of the file: by it these clients see what it is. */
const fileUrl = (ctx: Ctx, { id, bundleFilename }: ServedRelease): string =>
  `${ctx.baseUrl}/api/v1/updates/feeds/files/${id}/${encodeURIComponent(bundleFilename.toWellFormed())}`;
