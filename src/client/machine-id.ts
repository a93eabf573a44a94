import { randomText } from './bytes.ts';
import { ClientError } from './errors.ts';
import type { ClientStorage } from './option-types.ts';
import { updateIn } from './storage-update.ts';

export const MACHINE_ID_KEY = 'appctl.machine-id';

/**
 * A random machine id that the storage keeps: the same at every call on one storage, also when several processes or tabs
 * ask for the first one at once. Whoever copies the storage copies the machine, and whoever clears it becomes a new one
 * that needs a new activation.
 *
 * @returns 32 characters `[A-Za-z0-9_-]`
 * @throws ClientError STORAGE when the storage does not keep it; what the storage throws
 */
export async function createMachineId(storage: ClientStorage): Promise<string> {
  const known = await storage.get(MACHINE_ID_KEY);
  if (isMachineId(known)) return known;
  const fresh = randomText(24);
  await updateIn(storage, MACHINE_ID_KEY, (value) => (isMachineId(value) ? value : fresh));
  // Each start would be a new machine, and take another activation.
  const kept = await storage.get(MACHINE_ID_KEY);
  if (!isMachineId(kept)) throw new ClientError('STORAGE', 'the storage does not keep what is written to it');
  return kept;
}

export const isMachineId = (value: string | null | undefined): value is string =>
  typeof value === 'string' && value.length >= 8 && value.length <= 255;
