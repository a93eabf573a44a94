import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { optional, report, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { PolicyView, policyViews } from '#licensing/catalog/policies/view.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { type Action, action, adminResource } from '#platform/admin/index.ts';
import { effectsOf } from './effects.ts';
import { policyScreen } from './screen.ts';

/** Ids; a product may be named by its slug. */
const targets = () =>
  optional(z.array(text({ min: 1, max: 63 }), { error: 'must be a list' }).max(licenses.MOST_POLICY_TARGETS));
const LinkBody = later(() =>
  z
    .strictObject({ productIds: targets(), licenseIds: targets() })
    .check((checked) => {
      const { productIds = [], licenseIds = [] } = checked.value;
      if (productIds.length + licenseIds.length === 0)
        report(checked, 'required', 'products or licenses are required', ['productIds']);
    })
    .meta({ id: 'PolicyLinkBody' }),
);

const CreateBody = policies.PolicyCreate.safeExtend({ productIds: targets() });

/** Makes a policy, and attaches it to products at once. */
const create = (
  ctx: Ctx,
  { productIds = [], ...input }: z.output<typeof CreateBody>,
): Promise<policies.Policy> =>
  ctx.tx(async (ctx) => {
    const policy = await policies.create(ctx, input);
    return productIds.length === 0 ? policy : licenses.attachPolicy(ctx, policy.id, { productIds });
  });

const linking = (
  label: string,
  summary: string,
  run: typeof licenses.attachPolicy,
): Action<policies.Policy> =>
  action<policies.Policy, typeof LinkBody>({
    label,
    summary,
    needs: 'licensing:write',
    level: 'mild',
    where: 'row',
    input: LinkBody,
    errors: [],
    run,
  });

/** Rules that products and licenses share, for staff (licensing 4.2, Policies). */
export const policyResource = adminResource<policies.Policy, typeof CreateBody, typeof policies.PolicyUpdate>(
  {
    name: 'policies',
    labels: { one: 'policy', many: 'policies' },
    about: 'Rules that products and licenses share',
    needs: { read: 'licensing:read', write: 'licensing:write' },
    screen: policyScreen,
    rows: policies.policyRows,
    get: policies.get,
    create: { schema: CreateBody, errors: ['NOT_FOUND', 'CONFLICT'], run: create },
    edit: {
      schema: policies.PolicyUpdate,
      summary:
        'Change a policy, effective immediately for all its licenses; fields that are not sent stay as they are',
      preview: effectsOf,
      run: policies.update,
    },
    remove: { level: 'mild', summary: 'Delete a policy that nothing uses', run: policies.remove },
    actions: {
      attach: linking('Attach', 'Attach a policy to products or single licenses', licenses.attachPolicy),
      detach: linking('Detach', 'Detach a policy from products or single licenses', licenses.detachPolicy),
    },
    palette: { title: ({ name }) => name },
    apis: [
      {
        surface: 'license-admin',
        path: '/policies',
        item: 'policy',
        view: PolicyView,
        toViews: policyViews,
        brief: ({ id, name }) => ({ id, name }),
      },
    ],
  },
);
