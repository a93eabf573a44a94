import type { Features } from './facts.ts';

/**
 * The features of a license: policy entitlements, overridden key by key by the license's own; null when both are
 * empty (D26). `__proto__` is a key like any other, hence no assignment.
 *
 * @param license features of the license
 * @param policy entitlements of the effective policy
 */
export function mergeFeatures(license: Features | null, policy: Features | null): Features | null {
  const own = isEmpty(license) ? null : license;
  const inherited = isEmpty(policy) ? null : policy;
  if (own === null || inherited === null) return own ?? inherited;
  // Spread defines own properties without calling setters, and later keys win.
  return { ...inherited, ...own };
}

/**
 * Whether an entitlement is held and with which value (D82): the key is present and its value is not false.
 * Names are case-sensitive and are no paths.
 */
export function entitlementOf(
  features: Features | null,
  name: string,
): { entitled: boolean; value: Features[string] } {
  if (features === null || !Object.hasOwn(features, name)) return { entitled: false, value: null };
  const value = features[name] ?? null;
  return { entitled: value !== false, value };
}

const isEmpty = (features: Features | null): boolean => {
  for (const _ in features) return false;
  return true;
};
