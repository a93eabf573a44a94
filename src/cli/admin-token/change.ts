import * as adminTokens from '#platform/admin-tokens/index.ts';
import { adminTokenView } from '#platform/admin-tokens/view.ts';
import { productIdsAsked } from '../apikey/write.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { makeSecret } from '../made-secret.ts';
import { withLocal } from '../open.ts';
import { shellWord } from '../shell-words.ts';
import { expiryAsked } from '../time-asked.ts';

const flags = { name: '--name', role: '--role', productIds: '--product', expiresAt: '--expires' };

/** `appctl admin token create`. */
export function createAdminToken(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx, config }) => {
    const input: adminTokens.AdminTokenInput = {
      name: cli.required('name'),
      role: cli.required('role'),
      isInstanceWide: cli.flag('instance'),
      productIds: (await productIdsAsked(cli, ctx)) ?? null,
      expiresAt: expiryAsked(cli, ctx.now()) ?? null,
    };
    await makeSecret(
      cli,
      ctx,
      async (ctx) => {
        const { adminToken, secret } = await namingFlags(flags, () => adminTokens.create(ctx, input));
        return { thing: adminToken, secret };
      },
      (token) => adminTokenView(token, config.tenant),
      ({ id, name, role }) => [
        `appctl admin token revoke ${id}`,
        `appctl admin token create --name ${shellWord(name)} --role ${role} --reveal`,
      ],
    );
  });
}

/** `appctl admin token revoke ID`. */
export function revokeAdminToken(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx, config }) => {
    const token = await adminTokens.get(ctx, cli.argument('id'));
    await cli.confirm({ action: `revoke the admin token ${token.name} (${token.id})` });
    const after = await changeOrPlan(cli, ctx, (ctx) => adminTokens.revoke(ctx, token.id));
    await writeCard(cli, planned(cli, adminTokenView(after, config.tenant)));
    noteChange(cli, `revoked ${after.name}`);
  });
}
