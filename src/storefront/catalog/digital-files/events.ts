import { change, defineEvents } from '#kernel/events.ts';
import { type DigitalFile, digitalFileRecord } from './record.ts';

type Told = Pick<DigitalFile, 'variantId' | 'name' | 'kind'>;

/** What happens to files of variants. */
export const digitalFileEvents = defineEvents(
  'store',
  { 'digital_file.added': change<Told>(), 'digital_file.removed': change<Told>() },
  { target: 'shop-digital-files', record: digitalFileRecord },
);
