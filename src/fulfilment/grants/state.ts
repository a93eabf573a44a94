import type { Ctx } from '#kernel/context.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import type { LicenseGrant } from './record.ts';

/** The license that a variant is sold with, and what the license service knows of it now. */
export interface GrantState {
  readonly grant: LicenseGrant;
  /** null when it was deleted. */
  readonly product: products.Product | null;
  readonly policy: { readonly id: string; readonly name: string } | null;
  /** What is wrong with it; null when nothing is. */
  readonly problem: string | null;
}

/** Looks up what a grant names: the license service may have deleted it, or stopped selling it, since it was set. */
export async function stateOf(ctx: Ctx, grant: LicenseGrant): Promise<GrantState> {
  const product = await products.find(ctx, grant.licenseProductId);
  const policy = grant.policyId === null ? null : await policies.find(ctx, grant.policyId);
  return { grant, product, policy, problem: problemOf(grant, product, policy !== null) };
}

function problemOf(
  { licenseProductId, policyId }: LicenseGrant,
  product: products.Product | null,
  hasPolicy: boolean,
): string | null {
  if (product === null)
    return `The license product ${licenseProductId} was deleted. Orders can still be paid, but their licenses cannot be created. Choose another license product.`;
  if (policyId !== null && !hasPolicy)
    return `The policy ${policyId} was deleted. Orders can still be paid, but their licenses cannot be created. Choose another policy, or none.`;
  if (product.status === 'DISCONTINUED')
    return `The license product ${product.slug} is discontinued, but the shop still sells licenses of it. Choose another license product, or archive the product.`;
  return null;
}
