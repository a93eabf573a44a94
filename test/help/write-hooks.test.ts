import { testPage } from './run-page.ts';

testPage('write-hooks');
