import { capability } from '#kernel/capability.ts';
import { keyFormatEvents } from './events.ts';
import { keyFormatRecord } from './record.ts';

export { alternativeKey, canonicalKey, keyPrefix, keyShape, maskKey } from './canonical.ts';
export { defaultKeyFormat } from './default-format.ts';
export { DEFAULT_KEY_FORMAT, type KeyFormat } from './format.ts';
export { checksumHolds, generateKey } from './generate.ts';
export {
  create,
  find,
  formatOf,
  get,
  type KeyFormatPreview,
  type KeyFormatUpdateInput,
  list,
  preview,
  previewOf,
  remove,
  update,
} from './key-formats.ts';
export { keyFormatRecord, type StoredKeyFormat } from './record.ts';
export type { KeyFormatCreateInput } from './schemas.ts';
export { changeTenant } from './tenant.ts';

/** How license keys are drawn. */
export const keyFormats = capability({
  name: 'key-formats',
  events: [keyFormatEvents],
  records: [keyFormatRecord],
});
