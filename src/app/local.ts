import type { LocalPart } from '#kernel/capability.ts';
import { licensingLocal } from '#licensing/local.ts';
import * as platform from '#platform/local.ts';
import { storefrontLocal } from '#storefront/local.ts';

/**
 * The settings and subscribers of all capabilities. They stand apart from endpoints, pages and jobs, so that a command
 * that changes one row loads the third of the program that it needs.
 */
export const localParts: readonly LocalPart[] = [
  ...Object.values(platform),
  ...licensingLocal,
  ...storefrontLocal,
];
