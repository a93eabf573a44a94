// What the executable runs first: it hands the program to V8 with the code that the build saw compiled, which Node's own
// cache for executables does not hold (0005). CommonJS, because an executable starts with nothing else.
const { closeSync, openSync, readSync } = require('node:fs');
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea');
const { constants, Script } = require('node:vm');

const [PROGRAM, PLACES] = ['main.js', 'places.json'];
/** Another command runs a small part of what a server does, and would only read the rest. */
const isServer = process.argv.some((word) => word === 'serve' || word === 'server-process');
const CODE_CACHE = isServer ? 'serve.cache' : 'command.cache';
/** As many bytes of each end show that the file still is what the build made. */
const SHOWN = 64;

const places = JSON.parse(getAsset(PLACES, 'utf8'));
const hasCache = getAssetKeys().includes(CODE_CACHE);
// One after the other in the same memory: each page of it that is new costs the start a fault.
const room = isServer
  ? Buffer.allocUnsafeSlow(Math.max(...[PROGRAM, ...(hasCache ? [CODE_CACHE] : [])].map(lengthOf)))
  : undefined;
const script = new Script(bytesOf(PROGRAM).toString('latin1'), {
  filename: __filename,
  // V8 takes it only for the same source, version and flags; otherwise it compiles.
  cachedData: hasCache ? bytesOf(CODE_CACHE) : undefined,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
script.runInThisContext()(exports, require, module, __filename, __dirname);

function lengthOf(key) {
  return getRawAsset(key).byteLength;
}

/**
 * An asset. Node shows it in the memory that the file is mapped to, where what was read stays resident: 17 MB that a
 * server needs once, so it reads them out of the file. A command ends soon and saves the copy.
 */
function bytesOf(key) {
  const mapped = Buffer.from(getRawAsset(key));
  if (room === undefined) return mapped;
  const bytes = room.subarray(0, mapped.length);
  const isSame = readOwnFile(bytes, Number(places[key]));
  const ends = [bytes.subarray(0, SHOWN), bytes.subarray(-SHOWN)];
  const shown = [mapped.subarray(0, SHOWN), mapped.subarray(-SHOWN)];
  return isSame && ends.every((end, at) => end.equals(shown[at])) ? bytes : mapped;
}

/** The running file, whatever has its name by now. @returns whether there is such a file, and all of it was read */
function readOwnFile(bytes, place) {
  let file;
  try {
    file = openSync('/proc/self/exe');
    return readSync(file, bytes, 0, bytes.length, place) === bytes.length;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
