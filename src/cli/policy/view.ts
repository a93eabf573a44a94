import type { Policy } from '#licensing/catalog/policies/index.ts';

/** A policy as the command line shows it (cli.md section 2). */
export type PolicyView = ReturnType<typeof policyView>;

/** All of a policy but its tenant and its last change. */
export function policyView({ tenantId, updatedAt, createdAt, ...rules }: Policy) {
  return { ...rules, createdAt };
}
