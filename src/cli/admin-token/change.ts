import { productIdsAsked } from '../apikey/write.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, timeAt } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { makeSecretAt } from '../made-secret.ts';
import { expiryAsked } from '../time-asked.ts';
import { type OneAdminToken, withTokens } from './twin.ts';

const flags = { name: '--name', role: '--role', productIds: '--product', expiresAt: '--expires' };

/** `appctl admin token create`. */
export function createAdminToken(cli: Cli): Promise<void> {
  return withTokens(cli, async (desk) => {
    const input = {
      name: cli.required('name'),
      role: cli.required('role'),
      isInstanceWide: cli.flag('instance'),
      productIds: await productIdsAsked(cli, desk),
      expiresAt: expiryAsked(cli, timeAt(desk)),
    };
    await makeSecretAt(
      cli,
      (options) =>
        namingFlags(flags, () =>
          desk.post<OneAdminToken & { rawToken: string }>('admin-tokens', input, options),
        ),
      {
        name: 'rawToken',
        view: ({ adminToken }) => adminToken,
      },
    );
  });
}

/** `appctl admin token revoke ID`. */
export function revokeAdminToken(cli: Cli): Promise<void> {
  return withTokens(cli, async (desk) => {
    const { adminToken: token } = await desk.get<OneAdminToken>(at`admin-tokens/${cli.argument('id')}`);
    await cli.confirm({ action: `revoke the admin token ${token.name} (${token.id})` });
    const { adminToken } = await desk.post<OneAdminToken>(at`admin-tokens/${token.id}/revoke`);
    await writeCard(cli, planned(cli, adminToken));
    noteChange(cli, `revoked ${adminToken.name}`);
  });
}
