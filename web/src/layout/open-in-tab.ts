/** Opens in a tab of its own what an answer names. */
export async function openInTab(ask: () => Promise<{ url: string }>): Promise<void> {
  // Opened before the answer comes: later, browsers take it for an advertisement.
  const tab = window.open('about:blank', '_blank');
  try {
    const { url } = await ask();
    if (!tab) return location.assign(url);
    // What opens there must not reach back into the dashboard.
    tab.opener = null;
    tab.location.replace(url);
  } catch (error) {
    tab?.close();
    throw error;
  }
}
