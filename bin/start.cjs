// What the executable runs first: it hands the program to V8 with the code that the build saw compiled, which Node's own
// cache for executables does not hold (0005). CommonJS, because an executable starts with nothing else.
const { getAssetKeys, getRawAsset } = require('node:sea');
const { constants, Script } = require('node:vm');

const [PROGRAM, CODE_CACHE] = ['main.js', 'main.cache'];
const source = Buffer.from(getRawAsset(PROGRAM)).toString('latin1');
const hasCache = getAssetKeys().includes(CODE_CACHE);
const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
  filename: __filename,
  // V8 takes it only for the same source, version and flags; otherwise it compiles.
  cachedData: hasCache ? Buffer.from(getRawAsset(CODE_CACHE)) : undefined,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
script.runInThisContext()(exports, require, module, __filename, __dirname);
