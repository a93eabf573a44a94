import { z } from 'zod';

export const VersionOutput = z.strictObject({
  version: z.string(),
  commit: z.string().nullable(),
  builtAt: z.string().nullable(),
  node: z.string(),
  platform: z.string(),
  arch: z.string(),
  packaged: z.boolean(),
});

const work = { name: z.string(), version: z.string(), license: z.string() };

/** With `--licenses`. */
export const LicensesOutput = z.strictObject({
  licenses: z.array(z.strictObject({ ...work, text: z.string(), parts: z.array(z.strictObject(work)) })),
});

/** Without a flag, with `--licenses`, and with `--sbom`, whose form CycloneDX 1.6 defines. */
export const VersionAnswer = z.union([
  VersionOutput,
  LicensesOutput,
  z.looseObject({ bomFormat: z.literal('CycloneDX'), specVersion: z.literal('1.6') }),
]);
