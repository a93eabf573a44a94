import * as releases from '#licensing/releases/releases/index.ts';
import { drafted, signedProduct } from '../../licensing/release-fixture.ts';
import type { TestApp } from '../../support/app.ts';
import type { ContractRows, Success } from '../row.ts';

type Made = { slug: string; releaseId: string };

let made = 0;

/** A success below `/api/v1/updates`. @param pathOf of the release that was made, with its query */
const asked =
  (pathOf: (made: Made) => string) =>
  async (app: TestApp): Promise<Success> => {
    made += 1;
    const product = await signedProduct(app.ctx, `updated-${made}`, { criticalUpdatesForExpired: true });
    const target = { platform: 'windows', arch: 'x64', isCritical: true };
    const { id, signature, statement, statementSignature } = await drafted(app.ctx, product, '1.2.0', target);
    const sent = { signature, statement, statementSignature, extra: { tauri: 'dW50cnVzdGVk' } };
    await releases.attachSignature(app.ctx, id, sent as releases.SignatureSent);
    await releases.publish(app.ctx, id, {});
    const { key } = await app.license({ productId: product.id });
    const path = `/api/v1/updates/${pathOf({ slug: product.slug, releaseId: id })}`;
    return { status: 200, path, headers: { 'X-License-Key': key, 'X-Machine-Id': 'machine-0001' } };
  };

export const publicRows: ContractRows = {
  'GET /api/v1/updates/check': {
    scopes: null,
    limit: 60,
    success: asked(
      () => 'check?current_version=1.0.0&channel=beta&platform=win32&arch=amd64&nonce=abcdefghijklmnop',
    ),
  },
  'GET /api/v1/updates/manifest': {
    scopes: null,
    limit: 60,
    success: asked(({ releaseId }) => `manifest?release_id=${releaseId}&nonce=abcdefghijklmnop`),
  },
  'GET /api/v1/updates/download': {
    scopes: null,
    limit: 10,
    windowSeconds: 3600,
    success: asked(({ releaseId }) => `download?release_id=${releaseId}&from_version=1.0.0`),
  },
  'GET /api/v1/updates/public-key': {
    scopes: null,
    limit: null,
    success: asked(({ slug }) => `public-key?product=${slug}&tenant=default`),
  },
  'GET /api/v1/updates/feeds/tauri/{product}/{channel}/{target}/{arch}/{current_version}': {
    scopes: null,
    limit: 60,
    success: asked(({ slug }) => `feeds/tauri/${slug}/stable/windows/x86_64/1.0.0`),
  },
  'GET /api/v1/updates/feeds/electron/{product}/{channel}/{file}': {
    scopes: null,
    limit: 60,
    success: asked(({ slug }) => `feeds/electron/${slug}/stable/latest.yml`),
  },
  'GET /api/v1/updates/feeds/files/{release_id}/{filename}': {
    scopes: null,
    limit: 10,
    windowSeconds: 3600,
    success: asked(({ releaseId }) => `feeds/files/${releaseId}/app-1.2.0.zip`),
  },
};
