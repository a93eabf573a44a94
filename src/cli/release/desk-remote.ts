import { z } from 'zod';
import { OneRelease, ReleasePage, ReleaseStatsView } from '#licensing/releases/releases/view.ts';
import { formatPublicKey } from '#signing/keys/public-key-text.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, notFoundError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { type AdminClient, adminClient } from '../remote/admin-client.ts';
import { formOf } from '../remote/form.ts';
import { counted } from './counted.ts';
import type { DeskRelease, ReleaseDesk } from './desk.ts';
import { releaseName } from './view.ts';

const Keys = z.object({
  items: z.array(z.object({ keyId: z.string(), status: z.enum(['ACTIVE', 'NEXT', 'RETIRED']) })),
});
const Anything = z.object({});

/** The desk of a server: its admin API. */
export async function remoteDesk(cli: Cli): Promise<ReleaseDesk> {
  return deskOf(await adminClient(cli));
}

function deskOf(client: AdminClient): ReleaseDesk {
  const change = async (
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: object = {},
  ): Promise<DeskRelease> => (await client.call({ method, path, body }, OneRelease)).release;
  return {
    ...productsOf(client),
    // What a server takes, it says when it is asked.
    checkRoom: async () => {},
    list: ({ product, ...query }) =>
      client.call({ method: 'GET', path: 'releases', query: { productId: product, ...query } }, ReleasePage),
    get: async (id) => (await client.call({ method: 'GET', path: pathOf(id) }, OneRelease)).release,
    stats: (id) => client.call({ method: 'GET', path: `${pathOf(id)}/stats` }, ReleaseStatsView),
    create: (input) => change('POST', 'releases', input),
    update: (id, changes) => change('PATCH', pathOf(id), changes),
    upload: async (id, bundle, onBytes) => {
      const sending = formOf({ ...bundle, open: () => counted(bundle.open(), onBytes) });
      return (await client.call({ method: 'PUT', path: `${pathOf(id)}/bundle`, sending }, OneRelease))
        .release;
    },
    sign: (id, signature) => change('PUT', `${pathOf(id)}/signature`, signature),
    publish: (id, how) => change('POST', `${pathOf(id)}/publish`, how),
    yank: (id, how) => change('POST', `${pathOf(id)}/yank`, how),
    unyank: (id, why) => change('POST', `${pathOf(id)}/unyank`, why),
    archive: (id) => change('POST', `${pathOf(id)}/archive`),
    promote: (id, to) => change('POST', `${pathOf(id)}/promote`, to),
    // The same signature with a later statement renews the statement; a draft would take it for a new signature.
    renew: async (id, statement) => {
      const { release } = await client.call({ method: 'GET', path: pathOf(id) }, OneRelease);
      if (release.state === 'DRAFT') throw notPublished(release);
      return change('PUT', `${pathOf(id)}/signature`, { signature: release.signature, ...statement });
    },
    rollOut: (id, rollout) => change('POST', `${pathOf(id)}/rollout`, rollout),
    remove: async (id) => {
      await client.call({ method: 'DELETE', path: pathOf(id) }, Anything);
    },
  };
}

function productsOf(client: AdminClient): Pick<ReleaseDesk, 'product' | 'registerKey'> {
  const keysOf = (reference: string) => `products/${segment('product', reference)}/keys`;
  return {
    async product(reference) {
      const { items } = await client.call({ method: 'GET', path: keysOf(reference) }, Keys);
      return { reference, keys: items };
    },
    async registerKey({ reference }, { publicKey, minisignId = null }) {
      // Only minisign's own form tells the id that it gave to the key.
      const form = minisignId === null ? 'base64' : 'minisign';
      const body = { publicKey: formatPublicKey(publicKey, form, minisignId) };
      await client.call({ method: 'POST', path: keysOf(reference), body }, Anything);
    },
  };
}

const notPublished = (release: DeskRelease): CliError =>
  new CliError(
    exits.conflict,
    'CONFLICT',
    `${releaseName(release)} is a draft, whose statement is not renewed`,
    {
      hint: `appctl release upload ${release.id} FILE --key KEY`,
      details: { reason: 'NOT_PUBLISHED' },
    },
  );

const pathOf = (id: string): string => `releases/${segment('release', id)}`;

/** Other texts name nothing, and some of them would lead to another address. */
function segment(what: string, text: string): string {
  if (/^[A-Za-z0-9_-]{1,100}$/.test(text)) return text;
  throw notFoundError(`there is no ${what} ${text}`, `appctl ${what} list`);
}
