import { secureRandom } from '#kernel/random.ts';

/** Loaded by the first who signs in with a code: an idle server holds neither. */
const otplib = () => import('otplib');
const qrcode = () => import('qrcode');

/** Before a transaction that judges a code, so that it waits for no file. */
export const loadCodes = async (): Promise<void> => void (await otplib());

const STEP_SECONDS = 30;
/** Crockford's letters and digits: none is read as another. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RECOVERY_CODES = 10;
/** 80 bits. */
const RECOVERY_LETTERS = 16;

/** A new secret of an authenticator app, 160 bits in base32. */
export const newSecret = async (): Promise<string> => (await otplib()).generateSecret();

/** The address that an app reads from the QR code. @param issuer how the app calls the installation */
export const appAddress = async (issuer: string, label: string, secret: string): Promise<string> =>
  (await otplib()).generateURI({ issuer, label, secret });

/** A QR code as SVG, dark on light whatever the page looks like. */
export const qrSvg = async (text: string): Promise<string> =>
  (await qrcode()).toString(text, { type: 'svg', errorCorrectionLevel: 'M', margin: 2 });

/**
 * The 30 seconds that a code of six digits belongs to: the current ones, those before or those after.
 *
 * @param epochMs the time of the server
 * @returns null for a code of no such time
 */
export async function stepOf(secret: string, code: string, epochMs: number): Promise<number | null> {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return null;
  const epoch = Math.floor(epochMs / 1000);
  const { verifySync } = await otplib();
  const found = verifySync({ secret, token, epoch, epochTolerance: STEP_SECONDS });
  return found.valid && 'timeStep' in found ? found.timeStep : null;
}

/** Ten codes like `7K2M-9QXA-0VHT-3DNE`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    [...secureRandom(RECOVERY_LETTERS)]
      .map((byte) => ALPHABET[byte % ALPHABET.length])
      .join('')
      .replaceAll(/(.{4})(?=.)/g, '$1-'),
  );

/** A recovery code as it is hashed: however it was copied, and with the letters that look like digits. */
export const plainCode = (code: string): string =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
