;; The inner product of two vectors in single precision. JavaScript has no vector instructions; with them a scan of vectors
;; is bound by memory and some fifteen times as fast. Compiled into inner-product-module.ts by `npm run generate`.
(module
  ;; One page less than 4 GiB, so that the address after the last row is not 0.
  (memory (export "memory") 1 65535)
  ;; $bytes is the length of both vectors, a multiple of 32: eight floats a step, padded with zeros.
  (func (export "innerProduct") (param $a i32) (param $b i32) (param $bytes i32) (result f32)
    (local $end i32)
    ;; Two sums of four lanes each, because the processor can then add them at the same time.
    (local $s v128)
    (local $t v128)
    (local.set $end (i32.add (local.get $a) (local.get $bytes)))
    (loop $step
      (local.set $s (f32x4.add (local.get $s)
        (f32x4.mul (v128.load (local.get $a)) (v128.load (local.get $b)))))
      (local.set $t (f32x4.add (local.get $t)
        (f32x4.mul (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b)))))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (br_if $step (i32.lt_u (local.get $a) (local.get $end))))
    (local.set $s (f32x4.add (local.get $s) (local.get $t)))
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $s)) (f32x4.extract_lane 1 (local.get $s)))
      (f32.add (f32x4.extract_lane 2 (local.get $s)) (f32x4.extract_lane 3 (local.get $s))))))
