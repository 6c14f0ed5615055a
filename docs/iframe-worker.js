// Browsers start no worker for a page that is read from disk, and the site's search is one: a hidden frame, which
// they do let load the script, stands in for it.
if (location.protocol === "file:")
  window.IFrameWorker = window.Worker = class extends EventTarget {
    #inside = new Promise((ready, failed) => {
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<!doctype html><title>search</title>";
      frame.onload = () => {
        const inside = frame.contentWindow;
        inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
        const script = inside.document.createElement("script");
        script.src = this.url;
        script.onload = () => ready(inside);
        script.onerror = failed;
        inside.document.head.append(script);
      };
      document.body.append(frame);
    });

    constructor(url) {
      super();
      this.url = url;
    }

    postMessage(data) {
      this.#inside.then(inside => inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
