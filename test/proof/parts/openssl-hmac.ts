// The openssl program as an independent second opinion on signatures of webhooks.
import { spawnSync } from 'node:child_process';
import { hasOpenssl } from '../../support/openssl.ts';
import { MissingTool } from './proof.ts';

/** @throws MissingTool */
export function requireOpenssl(): void {
  if (!hasOpenssl) throw new MissingTool('openssl is missing: apt-get install openssl');
}

/** HMAC-SHA256 as `openssl dgst -sha256 -hmac` makes it. */
export function opensslHmac(secret: string, body: string | Buffer): Buffer {
  const ran = spawnSync('openssl', ['dgst', '-sha256', '-hmac', secret, '-binary'], { input: body });
  if (ran.error) throw ran.error;
  if (ran.status !== 0) throw new Error(`openssl dgst ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}
