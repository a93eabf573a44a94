import { testPage } from './run-page.ts';

testPage('rotate-a-signing-key');
