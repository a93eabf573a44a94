import { z } from 'zod';
import { integer, oneOf, optional, report, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { KEY_ALPHABETS, KEY_CHECKSUMS } from '#licensing/contract/enumerations.ts';
import { formatFault, type KeyFormat } from './format.ts';

const fields = {
  prefix: text({
    min: 2,
    max: 10,
    form: { pattern: /^[A-Z0-9]{2,10}$/, says: '2 to 10 characters A-Z or 0-9' },
  }),
  segments: integer(4, 20),
  segmentLength: optional(z.literal(4, { error: 'must be 4' })),
  alphabet: optional(oneOf(KEY_ALPHABETS)),
  checksum: optional(oneOf(KEY_CHECKSUMS)),
};
const KeyFormatFields = z.strictObject(fields);
const nameField = () => text({ min: 1, max: 100 });

/** Fills the defaults of a format: segments of four, Crockford base32, no check character. */
export function keyFormatOf(input: z.output<typeof KeyFormatFields>): KeyFormat {
  return {
    prefix: input.prefix,
    segments: input.segments,
    segmentLength: 4,
    alphabet: input.alphabet ?? 'CROCKFORD32',
    checksum: input.checksum ?? 'NONE',
  };
}

/** Body of a key format preview: a format without a name (D133). */
export const KeyFormatPreviewBody = KeyFormatFields.check((checked) => {
  const fault = formatFault(keyFormatOf(checked.value));
  if (fault !== null) report(checked, 'key_format', fault[1], [fault[0]]);
});

/** Input that creates a key format (D133). */
export const KeyFormatCreate = later(() =>
  KeyFormatFields.extend({ name: nameField() }).check((checked) => {
    const fault = formatFault(keyFormatOf(checked.value));
    if (fault !== null) report(checked, 'key_format', fault[1], [fault[0]]);
  }),
);

/** Input that changes a key format; the merged format is judged as a new one is. */
export const KeyFormatUpdate = later(() =>
  z.strictObject({
    ...fields,
    name: optional(nameField()),
    prefix: optional(fields.prefix),
    segments: optional(fields.segments),
  }),
);

export type KeyFormatCreateInput = z.output<typeof KeyFormatCreate>;
