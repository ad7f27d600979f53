// Runs before a page is shown. From disk nothing else runs: what needs more scripts is hidden by the style
// sheet.
if (location.protocol !== 'file:') {
  document.documentElement.classList.add('served');
  // Pages are changed without a load, under a new address: links count from the root then
  document.addEventListener(
    'readystatechange',
    () => {
      for (const link of document.querySelectorAll('a[href]')) {
        const { origin, pathname, search, hash } = new URL(link.href);
        if (origin === location.origin) link.setAttribute('href', pathname + search + hash);
      }
    },
    { once: true },
  );
}
