import { randomText } from './bytes.ts';
import type { ClientStorage } from './types.ts';

const KEY = 'appctl.machine-id';

/**
 * A random machine id that the storage keeps: the same at every call on one storage. Whoever copies the storage
 * copies the machine, and whoever clears it becomes a new one that needs a new activation.
 *
 * @returns 32 characters `[A-Za-z0-9_-]`
 */
export async function createMachineId(storage: ClientStorage): Promise<string> {
  const known = await storage.get(KEY);
  if (known !== null && known.length >= 8 && known.length <= 255) return known;
  const fresh = randomText(24);
  await storage.set(KEY, fresh);
  // Two calls at once may both have found nothing: the one that wrote last is right for both.
  return (await storage.get(KEY)) ?? fresh;
}
