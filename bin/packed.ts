// Packages that few installations need: each is a bundle of its own inside the executable, compressed, and is no part of
// the program until somebody imports it. The text of the program is held in memory, also where it never runs.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, type Metafile, type Plugin } from 'esbuild';
import { packedKey } from '../src/kernel/packed.ts';
import { bundleBasics } from './bundle.ts';

/** By package, the names that the program imports of it. */
const PACKED: Readonly<Record<string, readonly string[]>> = {
  stripe: ['Stripe'],
  square: ['SquareClient', 'SquareEnvironment'],
  nodemailer: ['createTransport'],
  pdfkit: ['default'],
  '@paypal/paypal-server-sdk': ['Client', 'Environment', 'OrdersController', 'PaymentsController'],
  '@aws-sdk/client-s3': [
    'S3Client',
    'PutObjectCommand',
    'HeadObjectCommand',
    'GetObjectCommand',
    'DeleteObjectCommand',
    'ListObjectsV2Command',
    'CreateMultipartUploadCommand',
    'UploadPartCommand',
    'CompleteMultipartUploadCommand',
    'AbortMultipartUploadCommand',
    'ListMultipartUploadsCommand',
  ],
  'age-encryption': ['Encrypter', 'Decrypter', 'generateX25519Identity', 'identityToRecipient'],
  'acme-client': ['Client', 'axios', 'crypto'],
  'tar-stream': ['pack', 'extract'],
  yaml: ['stringify'],
  qrcode: ['create', 'toString'],
};

/** Where the program imports one of them on demand, it unpacks it. */
export const packedPlugin: Plugin = {
  name: 'packed-packages',
  setup(bundler) {
    bundler.onResolve({ filter: /^[^.#/]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && path in PACKED ? { path, namespace: 'packed' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'packed' }, ({ path }) => ({
      contents: `
        import { loadPacked } from './src/kernel/packed.ts';
        const loaded = loadPacked('${path}');
        ${(PACKED[path] ?? []).map(exported).join('\n')}`,
      resolveDir: bundler.initialOptions.absWorkingDir ?? '',
    }));
  },
};

const exported = (name: string): string =>
  name === 'default' ? 'export default loaded.default;' : `export const ${name} = loaded.${name};`;

/**
 * Bundles them.
 *
 * @param only the one package to bundle; all when absent
 * @param seen is told the files of each bundle
 * @returns key in the executable to file on disk
 */
export async function packPackages(
  root: string,
  work: string,
  only?: string,
  seen: (metafile: Metafile) => void = () => {},
): Promise<[string, string][]> {
  const packed: [string, string][] = [];
  for (const [name, names] of Object.entries(PACKED)) {
    if (only !== undefined && name !== only) continue;
    const { outputFiles, metafile } = await build({
      ...bundleBasics(root),
      stdin: { contents: `export { ${names.join(', ')} } from '${name}';`, resolveDir: root },
      format: 'cjs',
      charset: 'ascii',
      // Some look for files beside them when they are loaded, of which none is asked for.
      define: { 'import.meta.url': 'importMetaUrl' },
      banner: { js: 'const importMetaUrl = require("node:url").pathToFileURL(process.execPath).href;' },
      write: false,
      metafile: true,
    });
    seen(metafile);
    const file = join(work, packedKey(name).replaceAll('/', '-'));
    const text = outputFiles[0]?.contents ?? new Uint8Array();
    // The best level takes ten seconds for a tenth less.
    writeFileSync(file, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    packed.push([packedKey(name), file]);
  }
  return packed;
}
