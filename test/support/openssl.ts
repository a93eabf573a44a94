// The openssl program as an independent signer and verifier of Ed25519.
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from './scratch-folder.ts';

/** Whether this machine has the program; without it node:crypto and @noble/ed25519 remain as verifiers. */
export const hasOpenssl = spawnSync('openssl', ['version']).error === undefined;

/**
 * Verifies as the design's acceptance goal C6 writes it.
 * @param publicPem SPKI PEM
 * @returns whether openssl accepts the signature over the message
 */
export function opensslVerifies(publicPem: string, message: Uint8Array, signature: Uint8Array): boolean {
  const files = { 'pub.pem': publicPem, 'digest.bin': message, 'sig.bin': signature };
  return pkeyutl(files, '-verify', '-pubin', '-inkey', 'pub.pem', '-sigfile', 'sig.bin').status === 0;
}

/**
 * Signs with openssl.
 * @param privatePem PKCS#8 PEM
 * @returns 64 raw bytes
 */
export function opensslSigns(privatePem: string, message: Uint8Array): Buffer {
  return pkeyutl({ 'key.pem': privatePem, 'digest.bin': message }, '-sign', '-inkey', 'key.pem').stdout;
}

function pkeyutl(files: Record<string, string | Uint8Array>, ...args: string[]) {
  const folder = scratchFolder('appctl-openssl-');
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const ran = spawnSync('openssl', ['pkeyutl', '-rawin', '-in', 'digest.bin', ...args], { cwd: folder });
    if (ran.error) throw ran.error;
    return ran;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
