import type { Ctx } from '#kernel/context.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { mergeFeatures } from '../decision/index.ts';
import type { AdminLicenseView } from './view.ts';

/** A feature of a license: what its policy gives, what the license says itself, and what holds; each as JSON. */
interface Entitlement {
  readonly name: string;
  readonly given: string | null;
  readonly own: string | null;
  readonly holds: string;
}

/** What a license may use, feature by feature, with the policy that it comes from. */
export async function entitlementsOf(
  ctx: Ctx,
  { features, effectivePolicyId }: Pick<AdminLicenseView, 'features' | 'effectivePolicyId'>,
): Promise<{ policy: { id: string; name: string } | null; entitlements: readonly Entitlement[] }> {
  const policy = effectivePolicyId === null ? null : await policies.find(ctx, effectivePolicyId);
  const given = policy?.entitlements ?? {};
  const own = features ?? {};
  const written = (of: object, name: string): string | null =>
    Object.hasOwn(of, name) ? JSON.stringify(of[name as keyof typeof of]) : null;
  const merged =
    mergeFeatures(own as Parameters<typeof mergeFeatures>[0], given as Parameters<typeof mergeFeatures>[0]) ??
    {};
  const entitlements = Object.keys(merged)
    .sort()
    .map((name) => ({
      name,
      given: written(given, name),
      own: written(own, name),
      holds: written(merged, name) ?? 'null',
    }));
  return { policy: policy && { id: policy.id, name: policy.name }, entitlements };
}
