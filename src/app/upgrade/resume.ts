import { existsSync, rmSync } from 'node:fs';
import type { Upgrading } from './apply.ts';
import { endServer } from './end.ts';
import { type Journal, writeJournal } from './journal.ts';
import { sha256Of } from './program.ts';
import { finishReturn, swapBack } from './return.ts';

/**
 * Finds out how far a killed upgrade came, and finishes one that was on its way back.
 *
 * @returns `forward` when its rest is still to be done, `nothing` when nothing had been replaced
 */
export async function resumed(
  journal: Journal,
  upgrading: Upgrading,
): Promise<'forward' | 'nothing' | 'returned'> {
  const { place } = upgrading;
  if (journal.state === 'returning') {
    swapBack(place, journal);
    await endServer(journal.to.version, upgrading.installation, null);
    await finishReturn(journal, upgrading);
    return 'returned';
  }
  if ((await sha256Of(place.exe)) === journal.to.sha256) {
    writeJournal(place, { ...journal, state: 'swapped' });
    return 'forward';
  }
  // What lies ready was verified, and its bytes are known.
  if (existsSync(place.next) && (await sha256Of(place.next)) === journal.to.sha256) return 'forward';
  rmSync(place.next, { force: true });
  writeJournal(place, { ...journal, state: 'undone' });
  return 'nothing';
}
