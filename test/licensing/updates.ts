// What the tests of the update endpoints share: requests with a license key.
import type { TestApp } from '../support/app.ts';
import type { HttpReply } from '../support/http-client.ts';

export type Query = Record<string, string | undefined>;

/** Sends update requests with a license key; headers beside it come last. */
export function updateRequests(app: TestApp) {
  const get = (
    path: string,
    key: string | null,
    query: Query = {},
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<HttpReply> => {
    const search = new URLSearchParams(
      Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ).toString();
    const credential = key === null ? {} : { 'X-License-Key': key };
    return app.send(`/api/v1/updates/${path}${search === '' ? '' : `?${search}`}`, {
      method,
      headers: { ...credential, ...headers },
    });
  };
  return {
    get,
    check: (key: string | null, query: Query = {}, headers: Record<string, string> = {}) =>
      get('check', key, { current_version: '1.0.0', ...query }, headers),
    manifest: (key: string | null, release_id: string | undefined, headers: Record<string, string> = {}) =>
      get('manifest', key, { release_id }, headers),
    download: (key: string | null, release_id: string | undefined, headers: Record<string, string> = {}) =>
      get('download', key, { release_id }, headers),
  };
}

/** Status and error code, as most refusals are judged. */
export const refused = ({ status, body }: HttpReply) => [status, body.error?.code];
