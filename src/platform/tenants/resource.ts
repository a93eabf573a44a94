import type { Ctx } from '#kernel/context.ts';
import type { Condition } from '#kernel/service/precondition.ts';
import { type Action, action, adminResource } from '../admin/index.ts';
import { tenantRows } from './queries.ts';
import type { Tenant } from './record.ts';
import { TenantCreate, TenantUpdate } from './schemas.ts';
import { tenantScreen } from './screen.ts';
import * as tenants from './tenants.ts';
import { TenantView, tenantViews } from './view.ts';

type Change = (ctx: Ctx, id: string, condition: Condition) => Promise<Tenant>;

const switching = (
  label: string,
  where: Action['where'],
  [level, summary]: readonly [Action['level'], string],
  change: Change,
  from: Tenant['status'],
): Action<Tenant> =>
  action<Tenant>({
    label,
    summary,
    when: ({ status }) => status === from,
    needs: 'licensing:danger',
    level,
    where,
    conditional: true,
    run: (ctx, id, _input, how) => change(ctx, id, how),
  });

const OPENED = 'Resume a suspended tenant';

/** Separate vendors on one installation, for its staff (licensing 4.2, Tenants). */
export const tenantResource = adminResource<Tenant, typeof TenantCreate, typeof TenantUpdate>({
  name: 'tenants',
  labels: { one: 'tenant', many: 'tenants' },
  about: "Separate vendors on one installation; they cannot see each other's data",
  needs: { read: 'licensing:read', write: 'licensing:danger' },
  screen: tenantScreen,
  rows: tenantRows,
  ofInstallation: true,
  get: tenants.get,
  create: { schema: TenantCreate, run: tenants.create },
  edit: { schema: TenantUpdate, run: tenants.update },
  actions: {
    suspend: switching(
      'Suspend',
      'both',
      ['moderate', 'Suspend a tenant: its API keys get 403, its data is kept'],
      tenants.suspend,
      'ACTIVE',
    ),
    resume: switching('Resume', 'both', ['mild', OPENED], tenants.reinstate, 'SUSPENDED'),
    // The name that the JSON API has had for it.
    reinstate: switching(
      'Reinstate',
      'row',
      ['mild', `${OPENED}, as resume does`],
      tenants.reinstate,
      'SUSPENDED',
    ),
  },
  apis: [
    { surface: 'license-admin', path: '/tenants', item: 'tenant', view: TenantView, toViews: tenantViews },
  ],
});
