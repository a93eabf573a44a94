import { sleep } from '#kernel/clock.ts';
import type { Cli } from '../frame/context.ts';

/** A piece of work that a server does by itself. */
interface Running {
  readonly state: string;
  readonly progress: { readonly done: number; readonly total: number | null };
}

const ASK_AGAIN_MS = 1000;

/**
 * Asks until the work of a server has ended, and shows how far it is.
 *
 * @param look asks once more
 * @throws what `look` throws; the server goes on then
 */
export async function untilEnded<T extends Running>(cli: Cli, begun: T, look: () => Promise<T>): Promise<T> {
  if (begun.state !== 'RUNNING') return begun;
  const progress = await cli.progress(cli.spec.path, begun.progress.total ?? 0);
  try {
    for (let seen = begun; ; seen = await look()) {
      progress.update(seen.progress.done);
      if (seen.state !== 'RUNNING') return seen;
      await sleep(ASK_AGAIN_MS);
    }
  } finally {
    progress.stop();
  }
}
