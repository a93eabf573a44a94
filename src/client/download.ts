// downloadUpdate (licensing.md 7.3): nothing is committed that a root key has not signed.
import { transferBundle } from './bundle-transfer.ts';
import { hex } from './bytes.ts';
import type { Core } from './core.ts';
import { ClientError, errorOf } from './errors.ts';
import type { JudgedOffer } from './release-offer.ts';
import { createSha256 } from './sha256.ts';
import { aborted, follow } from './timers.ts';
import type { BundleSink, DownloadOptions, UpdateOffer } from './types.ts';

/** What a download works with. */
export interface DownloadParts {
  core: Core;
  /** See judgeOffer. */
  judge(offer: UpdateOffer): Promise<JudgedOffer>;
  /** The installed version. Throws TypeError when the options do not name it. */
  installed(): string;
}

/**
 * Fetches a bundle into a sink. The offer is judged before the first byte and again before `commit`, because a newer
 * release may have been verified, or the statement have ended, while the bytes came.
 *
 * @throws LicenseApiError, ClientError, and what the sink throws; the sink was then told to abort
 */
export async function downloadUpdate(
  { core, judge, installed }: DownloadParts,
  offered: UpdateOffer,
  sink: BundleSink,
  { signal: given, onProgress }: DownloadOptions,
): Promise<void> {
  const joined = follow([core.calls.closed, given]);
  const { signal } = joined;
  try {
    // An offer that the application changes meanwhile must not change what is checked in the end.
    const offer = { ...offered, sha256: String(offered.sha256).toLowerCase() };
    const { note } = await judge(offer);
    await note();
    const hash = createSha256();
    let done = 0;
    const take = async (chunk: Uint8Array): Promise<void> => {
      // Before it is given away: a sink may do with the chunk as it likes.
      hash.update(chunk);
      await sink.write(chunk);
      done += chunk.length;
      tellProgress(core, onProgress, done, offer.bundleSize);
    };
    await transferBundle({ core, offer, installed: installed(), signal, take });
    if (hex(hash.digest()) !== offer.sha256) {
      throw new ClientError('HASH_MISMATCH', 'the downloaded bundle is not the one that was offered');
    }
    await judge(offer);
    if (signal.aborted) throw aborted();
    await sink.commit();
  } catch (error) {
    await abort(core, sink);
    throw error;
  } finally {
    joined.release();
  }
}

/** Why a sink cannot clean up must not hide why it has to. */
async function abort({ events }: Core, sink: BundleSink): Promise<void> {
  try {
    await sink.abort();
  } catch (error) {
    events.emit('background-error', errorOf(error));
  }
}

/** A display that fails must not cost the download. */
function tellProgress(
  { events }: Core,
  onProgress: DownloadOptions['onProgress'],
  done: number,
  total: number,
): void {
  try {
    onProgress?.(done, total);
  } catch (error) {
    events.emit('background-error', errorOf(error));
  }
}
