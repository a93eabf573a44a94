import type { LicenseFacts, PolicyFacts } from './facts.ts';

/** The usage limit that counts (D80): license, else policy, else null = unlimited. */
export const effectiveMaxUses = (
  license: Pick<LicenseFacts, 'maxUses'>,
  policy: Pick<PolicyFacts, 'maxUses'> | null,
): number | null => license.maxUses ?? policy?.maxUses ?? null;

/** The version limit that counts: license, else policy, else null = any version. */
export const effectiveMaxVersion = (
  license: Pick<LicenseFacts, 'maxVersion'>,
  policy: Pick<PolicyFacts, 'maxVersion'> | null,
): string | null => license.maxVersion ?? policy?.maxVersion ?? null;
