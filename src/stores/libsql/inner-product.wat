;; Inner products of vectors, in single precision and in integers. JavaScript has no vector instructions; with them a scan of
;; vectors is bound by memory and some fifteen times as fast. Compiled into inner-product-module.ts by `npm run generate`.
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
      (f32.add (f32x4.extract_lane 2 (local.get $s)) (f32x4.extract_lane 3 (local.get $s)))))
  ;; The inner products of the vector at address 0, of 16-bit integers, with $rows vectors of 8-bit integers from $row on, each of
  ;; $bytes, a multiple of 16, padded with zeros. They are written as 32-bit integers from $out on; no sum may pass 32 bits.
  (func (export "integerProducts") (param $row i32) (param $rows i32) (param $bytes i32) (param $out i32)
    (local $query i32)
    (local $end i32)
    (local $last i32)
    (local $s v128)
    (local $t v128)
    (local.set $last (i32.add (local.get $out) (i32.shl (local.get $rows) (i32.const 2))))
    (loop $vector
      (local.set $query (i32.const 0))
      (local.set $end (i32.add (local.get $row) (local.get $bytes)))
      (local.set $s (v128.const i32x4 0 0 0 0))
      (local.set $t (v128.const i32x4 0 0 0 0))
      (loop $step
        (local.set $s (i32x4.add (local.get $s)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $row)) (v128.load (local.get $query)))))
        (local.set $t (i32x4.add (local.get $t)
          (i32x4.dot_i16x8_s (v128.load8x8_s offset=8 (local.get $row)) (v128.load offset=16 (local.get $query)))))
        (local.set $row (i32.add (local.get $row) (i32.const 16)))
        (local.set $query (i32.add (local.get $query) (i32.const 32)))
        (br_if $step (i32.lt_u (local.get $row) (local.get $end))))
      (local.set $s (i32x4.add (local.get $s) (local.get $t)))
      (i32.store (local.get $out)
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $s)) (i32x4.extract_lane 1 (local.get $s)))
          (i32.add (i32x4.extract_lane 2 (local.get $s)) (i32x4.extract_lane 3 (local.get $s)))))
      (local.set $out (i32.add (local.get $out) (i32.const 4)))
      (br_if $vector (i32.lt_u (local.get $out) (local.get $last))))))
