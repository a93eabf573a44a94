/** Request fields that several capabilities share. */
import { z } from 'zod';
import { type Checked, optional, report, text } from '#kernel/http/fields.ts';
import { bounds } from './limits.ts';

/** A license key in a body: any text of 10 to 100 characters after trimming; `keyShape` judges the rest (D12). */
export const licenseKeyField = () => text({ ...bounds.licenseKey, trim: true });

/** A machine identifier: 8 to 255 characters. */
export const machineIdField = () => text(bounds.machineId);

/** What a client sends to have its answer signed and bound to the question (licensing.md 6.13). */
export const nonceField = () =>
  text({ min: 16, max: 64, form: { pattern: /^[A-Za-z0-9_-]+$/, says: 'made of A-Z, a-z, 0-9, _ and -' } });

/** maxVersion: one to three numeric parts, a missing part means any (D83). */
export const maxVersionField = () =>
  text({
    min: 1,
    max: 50,
    form: { pattern: MAX_VERSION_FORM, says: 'one to three numbers, like 2 or 2.4.1' },
  });

const MAX_VERSION_FORM = /^(?:0|[1-9]\d{0,14})(?:\.(?:0|[1-9]\d{0,14})){0,2}$/;

/** An id of the service: prefix, `_` and a ULID, 30 characters (D25). */
export const idField = () => text({ min: 1, max: 30 });

interface KeyNames {
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
  const names = { licenseKey: optional(licenseKeyField()), key: optional(licenseKeyField()) };
  const schema = z.object({ ...names, ...shape }) as unknown as z.ZodType<KeyNames, KeyNames>;
  const required = [canonical, ...Object.keys(shape).filter((name) => shape[name]?._zod.optin === undefined)];
  const settled = schema.check(oneKey(canonical)).meta({ required });
  // The check settles the name, which the type of the schema cannot say.
  return settled as unknown as z.ZodType<
    { licenseKey: string } & z.output<z.ZodObject<S>>,
    KeyNames & z.input<z.ZodObject<S>>
  >;
}

function oneKey(canonical: 'licenseKey' | 'key') {
  const check = z.check((checked: Checked<KeyNames>) => {
    const { licenseKey, key } = checked.value;
    if (licenseKey === undefined && key === undefined)
      return void report(checked, 'required', 'is required', [canonical]);
    // A name of the wrong type was reported already.
    if (typeof (licenseKey ?? key) !== 'string') return;
    if (
      typeof licenseKey === 'string' &&
      typeof key === 'string' &&
      licenseKey.toUpperCase() !== key.toUpperCase()
    ) {
      return void report(checked, 'contradiction', 'licenseKey and key name different licenses', ['key']);
    }
    checked.value.licenseKey = licenseKey ?? key;
    delete checked.value.key;
  });
  // Otherwise a fault in another field would hide a missing key until the next attempt.
  check._zod.def.when = ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value);
  return check;
}
