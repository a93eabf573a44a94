// What other people wrote and this program contains: two files that the build writes beside the executable and into it.
import { brotliDecompressSync } from 'node:zlib';
import { readAsset } from './assets.ts';

/** Where the bill of materials is, in the executable as in the folder of the build. */
export const BILL_OF_MATERIALS = 'build/appctl.cdx.json';
/** Where the licenses are, as compressed JSON. */
export const LICENSES = 'build/licenses.json.br';

/** One work of others with the words of its license. */
export interface LicensedWork {
  readonly name: string;
  /** Empty where its makers give none. */
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  readonly text: string;
  /** Works within it; their words are in its text. */
  readonly parts: readonly Pick<LicensedWork, 'name' | 'version' | 'license'>[];
}

/** @throws Error when the program runs from its source and was never built */
export function licensedWorks(): LicensedWork[] {
  return JSON.parse(brotliDecompressSync(readAsset(LICENSES)).toString('utf8')) as LicensedWork[];
}

/**
 * @returns a CycloneDX document as text
 * @throws Error when the program runs from its source and was never built
 */
export const billOfMaterials = (): string => readAsset(BILL_OF_MATERIALS).toString('utf8');
