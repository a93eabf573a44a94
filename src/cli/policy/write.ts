import type { PolicyView } from '#licensing/catalog/policies/view.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';

/** `2 products, 1 license`; nothing for a policy that nothing names. */
export function linkedTo({ linked }: Pick<PolicyView, 'linked'>): string {
  const counts = [
    [linked.products, 'product'],
    [linked.licenses, 'license'],
  ] as const;
  return counts.flatMap(([n, what]) => (n > 0 ? [`${n} ${what}${n === 1 ? '' : 's'}`] : [])).join(', ');
}

/** A policy as the answer; a person reads in words what names it. */
export const writePolicy = (cli: Cli, policy: PolicyView): Promise<void> =>
  writeCard(cli, policy, { linked: linkedTo(policy) });
