import { capability } from '#kernel/capability.ts';
import { on } from '#kernel/events.ts';
import { tenantEvents } from '#platform/tenants/index.ts';
import { keyFormatEvents } from './events.ts';
import { keyFormatRecord } from './record.ts';
import { requireOwnFormat } from './tenant.ts';

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

/** How license keys are drawn. */
export const keyFormats = capability({
  name: 'key-formats',
  events: [keyFormatEvents],
  subscribers: [on(tenantEvents, 'TENANT_UPDATED', requireOwnFormat)],
  records: [keyFormatRecord],
});
