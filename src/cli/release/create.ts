import { noteChange, planned } from '../change.ts';
import type { Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { readableBundle } from './bundle-file.ts';
import { deliver, orNoDraft } from './deliver.ts';
import { releaseAsked, releaseFlags } from './flags.ts';
import { checkRoom } from './room.ts';
import { noStatementWarning } from './ship-checks.ts';
import { type SignatureSource, signatureSource, signedBundle } from './signed-bundle.ts';
import { type DeskRelease, makeDraft, releaseOf, signOn, withReleases } from './twin.ts';
import { releaseCard, releaseName, releaseView } from './view.ts';

const BUNDLE_OPTIONS = ['sig', 'key', 'sequence', 'statement-days'];

/** `appctl release create`. */
export async function createRelease(cli: Cli): Promise<void> {
  const path = cli.option('bundle');
  const lost = path === undefined && BUNDLE_OPTIONS.find((name) => cli.given(name));
  if (lost) throw usageError(`--${lost} needs --bundle`);
  const source = await signatureSource(cli);
  const input = await releaseAsked(cli);
  await namingFlags(releaseFlags, () =>
    withReleases(cli, async (desk) => {
      if (path !== undefined) await checkRoom(desk, await readableBundle(path, cli.given('key')));
      const draft = await makeDraft(desk, input);
      const fill = async () => (path === undefined ? draft : filled(cli, desk, draft, path, source));
      const release = await (cli.dryRun ? fill() : orNoDraft(desk, draft.id, fill));
      await answerDraft(cli, release, `created the draft ${releaseName(release)}`);
    }),
  );
}

/** `appctl release upload ID FILE`. */
export async function uploadBundle(cli: Cli): Promise<void> {
  const path = cli.argument('file');
  const source = await signatureSource(cli);
  await withReleases(cli, async (desk) => {
    const size = await readableBundle(path, cli.given('key'));
    const draft = await releaseOf(desk, cli.argument('id'));
    await checkRoom(desk, size);
    const release = await filled(cli, desk, draft, path, source);
    await answerDraft(cli, release, `uploaded ${release.bundleFilename} to ${releaseName(release)}`);
  });
}

/** The release with its bundle, and its signature where there is one; with --dry-run as it would be. */
async function filled(
  cli: Cli,
  desk: Desk,
  draft: DeskRelease,
  path: string,
  source: SignatureSource,
): Promise<DeskRelease> {
  const { bundle, signature } = await signedBundle(cli, desk, draft, path, source);
  if (cli.dryRun) {
    const { filename: bundleFilename, size: bundleSize, sha256: bundleSha256 } = bundle;
    const { signature: signed = null, keyId = null } = signature ?? {};
    return { ...draft, bundleFilename, bundleSize, bundleSha256, signature: signed, keyId };
  }
  const release = await deliver(cli, desk, draft.id, bundle);
  // The bytes of a release that is out are put back; what a file beside them says may be older than the release.
  const isRepair = release.state !== 'DRAFT' && source.key === null && source.sig === null;
  return signature === null || isRepair ? release : signOn(desk, release.id, signature);
}

async function answerDraft(cli: Cli, release: DeskRelease, what: string): Promise<void> {
  await cli.out.value(planned(cli, releaseView(release)), releaseCard(release));
  noteChange(cli, what);
  if (cli.dryRun || release.state !== 'DRAFT') return;
  const isReady = release.bundleSha256 !== null && release.signature !== null;
  const warning = isReady ? noStatementWarning(release) : null;
  if (warning !== null) cli.warn(warning);
  cli.next(`appctl release ${isReady ? `publish ${release.id}` : `upload ${release.id} FILE --key KEY`}`);
}
