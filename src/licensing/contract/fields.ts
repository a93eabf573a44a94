/** Request fields that several capabilities share. */

import { z } from 'zod';
import { type Checked, optional, report, text } from '#kernel/http/fields.ts';
import { idField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { bounds } from './limits.ts';

/** A license key in a body: any text of 10 to 100 characters after trimming; `keyShape` judges the rest (D12). */
export const licenseKeyField = () => text({ ...bounds.licenseKey, trim: true });

/** A machine identifier: 8 to 255 characters. */
export const machineIdField = () => text(bounds.machineId);

const NONCE = { min: 16, max: 64, form: /^[A-Za-z0-9_-]+$/ };

/** What a client sends to have its answer signed and bound to the question (licensing.md 6.13). */
export const nonceField = () =>
  text({
    min: NONCE.min,
    max: NONCE.max,
    form: { pattern: NONCE.form, says: 'made of A-Z, a-z, 0-9, _ and -' },
  });

/** Whether a value would pass as a nonce: a refused request has one as well. */
export const isNonce = (value: unknown): value is string =>
  typeof value === 'string' &&
  NONCE.form.test(value) &&
  value.length >= NONCE.min &&
  value.length <= NONCE.max;

/** maxVersion: one to three numeric parts, a missing part means any (D83). */
export const maxVersionField = () =>
  text({
    min: 1,
    max: 50,
    form: { pattern: MAX_VERSION_FORM, says: 'one to three numbers, like 2 or 2.4.1' },
  });

const MAX_VERSION_FORM = /^(?:0|[1-9]\d{0,14})(?:\.(?:0|[1-9]\d{0,14})){0,2}$/;

/** Header X-Idempotency-Key: printable ASCII, an empty one counts as absent (D53, D81, reliability M5). */
export const IdempotencyHeaders = later(() =>
  z.object({
    'x-idempotency-key': text({
      max: bounds.idempotencyKey,
      form: { pattern: /^[ -~]*$/, says: 'made of printable ASCII characters' },
    }).optional(),
  }),
);

interface KeyNames {
  licenseId?: string | undefined;
  licenseKey?: string | undefined;
  key?: string | undefined;
}

/**
 * A public body that names a license by its key. The spec says `licenseKey` on some endpoints and `key` on others:
 * both names are read everywhere, both sent and different is a fault (D7). The result always holds `licenseKey`.
 * Unknown fields are dropped (D5).
 *
 * @param canonical the spec's name at this endpoint, which the OpenAPI document demands
 * @param shape the other fields
 */
export function keyedBody<S extends z.ZodRawShape>(canonical: 'licenseKey' | 'key', shape: S) {
  const body = later(() => {
    const names = { licenseKey: optional(licenseKeyField()), key: optional(licenseKeyField()) };
    const schema = z.object({ ...names, ...shape }) as unknown as z.ZodType<KeyNames, KeyNames>;
    const required = [
      canonical,
      ...Object.keys(shape).filter((name) => shape[name]?._zod.optin === undefined),
    ];
    return schema.check(oneKey(canonical)).meta({ required }) as unknown as z.ZodObject;
  });
  // The check settles the name, which the type of the schema cannot say.
  return body as unknown as z.ZodType<
    { licenseKey: string } & z.output<z.ZodObject<S>>,
    KeyNames & z.input<z.ZodObject<S>>
  >;
}

/**
 * A public body that names a license by its id, by its key, or by both when they name the same one (D39): of revoke
 * and renew. The key has both names of D7; the result holds `licenseId`, `licenseKey` or both.
 *
 * @param shape the other fields
 */
export function referenceBody<S extends z.ZodRawShape>(shape: S) {
  const names = {
    licenseId: optional(idField()),
    licenseKey: optional(licenseKeyField()),
    key: optional(licenseKeyField()),
  };
  const schema = z.object({ ...names, ...shape }) as unknown as z.ZodType<KeyNames, KeyNames>;
  // The check settles the name, which the type of the schema cannot say.
  return schema.check(oneKey('licenseKey', 'licenseId or licenseKey')) as unknown as z.ZodType<
    { licenseId?: string; licenseKey?: string } & z.output<z.ZodObject<S>>,
    KeyNames & z.input<z.ZodObject<S>>
  >;
}

/** @param alternatives names what else may stand for the key, of which `licenseId` is the other one */
function oneKey(canonical: 'licenseKey' | 'key', alternatives?: 'licenseId or licenseKey') {
  const check = z.check((checked: Checked<KeyNames>) => {
    const { licenseId, licenseKey, key } = checked.value;
    if (licenseKey === undefined && key === undefined) {
      if (!alternatives) return void report(checked, 'required', 'is required', [canonical]);
      if (licenseId === undefined) report(checked, 'required', `${alternatives} is required`);
      return;
    }
    // A name of the wrong type was reported already.
    if (typeof (licenseKey ?? key) !== 'string') return;
    if (
      typeof licenseKey === 'string' &&
      typeof key === 'string' &&
      licenseKey.toUpperCase() !== key.toUpperCase()
    ) {
      return void report(checked, 'contradiction', 'licenseKey and key belong to different licenses', [
        'key',
      ]);
    }
    checked.value.licenseKey = licenseKey ?? key;
    delete checked.value.key;
  });
  // Otherwise a fault in another field would hide a missing key until the next attempt.
  check._zod.def.when = ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return check;
}
